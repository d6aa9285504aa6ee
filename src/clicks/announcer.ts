/**
 * Hands a link's clicks to the feed of its account while somebody listens, after they are stored: count first, announce
 * second. The feed says what it expects next, so what was lost, repeated or late is put right by the next word between
 * them; and an alarm that is stored together with the clicks sees to it that there is a next word, whatever dies.
 */
import { EVENTS_FORMAT, packEvents } from "../core/streams/event-log.ts";
import type { AnnouncementResult, Announcement } from "../core/streams/stream-protocol.ts";
import type { ClickLog } from "./click-log.ts";
import type { StoredTimes } from "./stored-times.ts";
import type { EventLog } from "./subscribers.ts";

type SendAnnouncement = (announcement: Announcement) => Promise<AnnouncementResult>;

/** How long after a click what is left of it, if the object died, is announced. */
const ALARM_DELAY_MS = 5_000;
const ALARM_RETRY_DELAY_MS = 30_000;
const ATTEMPTS_MAX = 6;
const BACKOFF_MIN_MS = 50;
/** A call that has not come back by then never will. */
const FEED_CALL_MAX_MS = 60_000;

export class Announcer {
  readonly #ctx: DurableObjectState;
  readonly #times: StoredTimes;
  readonly #clickLog: Pick<ClickLog, "count" | "positionAt">;
  readonly #eventLog: EventLog;
  readonly #sendAnnouncement: SendAnnouncement;
  /** Since when somebody listens, epoch ms; 0 when nobody does. */
  #feedSince: number;
  /** The period that the feed has said is over: isolates may still speak of it for a while. */
  #endedFeedSince = 0;
  /** What the feed has of this link, by its own word; null when it has not said. */
  #acknowledgedPosition: number | null = null;
  #feedCalledAt = 0;
  #alarmAt = 0;
  /** The link was erased: nothing is announced or stored any more. */
  #isStopped = false;

  constructor(
    ctx: DurableObjectState,
    times: StoredTimes,
    clicks: Pick<ClickLog, "count" | "positionAt">,
    events: EventLog,
    feed: SendAnnouncement,
  ) {
    this.#ctx = ctx;
    this.#times = times;
    this.#clickLog = clicks;
    this.#eventLog = events;
    this.#sendAnnouncement = feed;
    this.#feedSince = times.get("listened");
  }

  /** Takes in that somebody listens. @returns whether that is news */
  start(since: number): boolean {
    if (since <= this.#feedSince || since <= this.#endedFeedSince) return false;
    this.#feedSince = since;
    this.#acknowledgedPosition = null;
    // An object that has no clicks stores nothing: its first one brings the news again, or finds it still here.
    if (this.#clickLog.count > 0) this.#storeFeedSince();
    return true;
  }

  /** There are clicks from a position on. Called in the turn that appends them, clicks and alarm are stored as one. */
  announce(from: number): void {
    if (this.#feedSince === 0) return;
    if (this.#times.get("listened") !== this.#feedSince) this.#storeFeedSince();
    this.#setAlarm(ALARM_DELAY_MS);
    this.#acknowledgedPosition ??= from;
    if (Date.now() - this.#feedCalledAt > FEED_CALL_MAX_MS) this.#ctx.waitUntil(this.#announceAll());
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** What was left when the object died, or when the feed could not be reached. */
  async alarm(): Promise<void> {
    this.#alarmAt = 0;
    if (this.#feedSince === 0 || this.#acknowledgedPosition === this.#clickLog.count) return;
    await this.#announceAll();
  }

  /** One word after the other, until the feed has all there is. */
  async #announceAll(): Promise<void> {
    // After a sleep the feed is asked what it has by announcing nothing.
    let announcement: Announcement | null = this.#announcementFrom(this.#acknowledgedPosition ?? this.#clickLog.count);
    for (let failures = 0; announcement;) {
      this.#feedCalledAt = Date.now();
      const since = this.#feedSince;
      try {
        const answer = await this.#sendAnnouncement(announcement);
        if (this.#isStopped) return;
        announcement = this.#handleResult(answer, since);
        failures = 0;
      } catch (error) {
        console.warn("clicks not yet announced", { link: this.#eventLog.name, error: String(error) });
        if (this.#isStopped) return;
        if (++failures === ATTEMPTS_MAX) break;
        await new Promise((done) => setTimeout(done, BACKOFF_MIN_MS * 2 ** failures));
      }
    }
    this.#feedCalledAt = 0;
    if (announcement) this.#setAlarm(ALARM_RETRY_DELAY_MS);
  }

  /**
   * @param since  as it was when the feed was called
   * @returns what to say to that; null when there is nothing more to say
   */
  #handleResult(answer: AnnouncementResult, since: number): Announcement | null {
    switch (answer.kind) {
      case "next":
        this.#acknowledgedPosition = answer.next;
        return answer.next < this.#clickLog.count ? this.#announcementFrom(answer.next) : null;
      case "unknown":
        return { ...this.#announcementFrom(this.#clickLog.positionAt(answer.since)), since: answer.since };
      case "nobody":
        // Somebody may have come since the feed said so.
        if (this.#feedSince > since) return this.#announcementFrom(this.#acknowledgedPosition ?? this.#clickLog.count);
        this.#endedFeedSince = since;
        this.#feedSince = 0;
        this.#storeFeedSince();
        return null;
      case "too_new":
        throw new Error("the feed is of an earlier release");
      default:
        answer satisfies never;
        throw new Error("the feed gave an answer that is not known");
    }
  }

  #announcementFrom(from: number): Announcement {
    const events = from < this.#clickLog.count ? this.#eventLog.page(from) : [];
    return {
      linkId: this.#eventLog.name,
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

  #storeFeedSince(): void {
    this.#times.set("listened", this.#feedSince);
  }
}
