/**
 * Hands a link's clicks to the feed of its account while somebody listens, after they are stored: count first, announce
 * second. The feed says what it expects next, so what was lost, repeated or late is put right by the next word between
 * them; and an alarm that is stored together with the clicks sees to it that there is a next word, whatever dies.
 */
import { EVENTS_FORMAT, packEvents } from "../core/event-log.ts";
import type { Announced, Announcement } from "../core/live-stream.ts";
import type { ClickLog } from "./click-log.ts";
import type { KeptTimes } from "./kept-times.ts";
import type { EventLog } from "./subscribers.ts";

type Feed = (announcement: Announcement) => Promise<Announced>;

/** How long after a click what is left of it, if the object died, is announced. */
const ALARM_MS = 5_000;
const ALARM_AFTER_FAILURE_MS = 30_000;
const TRIES = 6;
const BACKOFF_MIN_MS = 50;
/** A call that has not come back by then never will. */
const RUN_MAX_MS = 60_000;

export class Announcer {
  readonly #ctx: DurableObjectState;
  readonly #times: KeptTimes;
  readonly #clicks: Pick<ClickLog, "count" | "positionAt">;
  readonly #events: EventLog;
  readonly #feed: Feed;
  /** Since when somebody listens, epoch ms; 0 when nobody does. */
  #since: number;
  /** The period that the feed has said is over: isolates may still speak of it for a while. */
  #over = 0;
  /** What the feed has of this link, by its own word; null when it has not said. */
  #confirmed: number | null = null;
  #runsSince = 0;
  #alarmAt = 0;
  /** The link was erased: nothing is announced or stored any more. */
  #hasEnded = false;

  constructor(
    ctx: DurableObjectState,
    times: KeptTimes,
    clicks: Pick<ClickLog, "count" | "positionAt">,
    events: EventLog,
    feed: Feed,
  ) {
    this.#ctx = ctx;
    this.#times = times;
    this.#clicks = clicks;
    this.#events = events;
    this.#feed = feed;
    this.#since = times.get("listened");
  }

  /** Takes in that somebody listens. @returns whether that is news */
  listen(since: number): boolean {
    if (since <= this.#since || since <= this.#over) return false;
    this.#since = since;
    this.#confirmed = null;
    // An object that has no clicks stores nothing: its first one brings the news again, or finds it still here.
    if (this.#clicks.count > 0) this.#keepSince();
    return true;
  }

  /** There are clicks from a position on. Called in the turn that appends them, clicks and alarm are stored as one. */
  announce(from: number): void {
    if (this.#since === 0) return;
    if (this.#times.get("listened") !== this.#since) this.#keepSince();
    this.#setAlarm(ALARM_MS);
    this.#confirmed ??= from;
    if (Date.now() - this.#runsSince > RUN_MAX_MS) this.#ctx.waitUntil(this.#run());
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** What was left when the object died, or when the feed could not be reached. */
  async alarm(): Promise<void> {
    this.#alarmAt = 0;
    if (this.#since === 0 || this.#confirmed === this.#clicks.count) return;
    await this.#run();
  }

  /** One word after the other, until the feed has all there is. */
  async #run(): Promise<void> {
    // After a sleep the feed is asked what it has by announcing nothing.
    let announcement: Announcement | null = this.#next(this.#confirmed ?? this.#clicks.count);
    for (let failures = 0; announcement;) {
      this.#runsSince = Date.now();
      const since = this.#since;
      try {
        const answer = await this.#feed(announcement);
        if (this.#hasEnded) return;
        announcement = this.#heard(answer, since);
        failures = 0;
      } catch (error) {
        console.warn("clicks not yet announced", { link: this.#events.name, error: String(error) });
        if (this.#hasEnded) return;
        if (++failures === TRIES) break;
        await new Promise((done) => setTimeout(done, BACKOFF_MIN_MS * 2 ** failures));
      }
    }
    this.#runsSince = 0;
    if (announcement) this.#setAlarm(ALARM_AFTER_FAILURE_MS);
  }

  /**
   * @param since  as it was when the feed was called
   * @returns what to say to that; null when there is nothing more to say
   */
  #heard(answer: Announced, since: number): Announcement | null {
    switch (answer.kind) {
      case "next":
        this.#confirmed = answer.next;
        return answer.next < this.#clicks.count ? this.#next(answer.next) : null;
      case "unknown":
        return { ...this.#next(this.#clicks.positionAt(answer.since)), since: answer.since };
      case "nobody":
        // Somebody may have come since the feed said so.
        if (this.#since > since) return this.#next(this.#confirmed ?? this.#clicks.count);
        this.#over = since;
        this.#since = 0;
        this.#keepSince();
        return null;
      case "too_new":
        throw new Error("the feed is of an earlier release");
      default:
        answer satisfies never;
        throw new Error("the feed gave an answer that is not known");
    }
  }

  #next(from: number): Announcement {
    const events = from < this.#clicks.count ? this.#events.page(from) : [];
    return {
      linkId: this.#events.name,
      from,
      format: EVENTS_FORMAT,
      events: events.length > 0 ? packEvents(events) : null,
    };
  }

  #setAlarm(inMs: number): void {
    const now = Date.now();
    // Each setting is billed as a row: one that is still to come will do.
    if (this.#alarmAt > now && this.#alarmAt <= now + inMs) return;
    this.#alarmAt = now + inMs;
    void this.#ctx.storage.setAlarm(this.#alarmAt);
  }

  #keepSince(): void {
    this.#times.keep("listened", this.#since);
  }
}
