/**
 * Sends a link's clicks to the feed of its account while a client streams that account. Clicks are stored before they
 * are announced. The feed replies with the next position that it expects, so a lost, repeated or late announcement is
 * corrected by the next one. An alarm is committed in the same transaction as the clicks, so there is a next one even
 * if the object is evicted.
 */
import type { NewsResult } from "../core/clicks/protocol/account-object-rpc.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { EVENTS_FORMAT, packEvents } from "../core/streams/event-log.ts";
import type { AnnouncementResult, Announcement } from "../core/streams/stream-protocol.ts";
import { MINUTE_MS } from "../core/time.ts";
import { withTimeout } from "../store/timeout.ts";
import type { ClickLog } from "./click-log.ts";
import type { StoredTimes } from "./link-state.ts";
import type { EventLog } from "./subscribers.ts";

type SendAnnouncement = (announcement: Announcement) => Promise<AnnouncementResult>;

/** Delay of the alarm that announces the clicks that an eviction has left unannounced. */
const ALARM_DELAY_MS = 5_000;
const ALARM_RETRY_DELAY_MS = 30_000;
const ATTEMPTS_MAX = 6;
const BACKOFF_MIN_MS = 50;
/** Calls that take longer are treated as lost. */
const FEED_CALL_MAX_MS = MINUTE_MS;

export class Announcer {
  readonly #ctx: DurableObjectState;
  readonly #times: StoredTimes;
  readonly #clickLog: Pick<ClickLog, "count" | "positionAt">;
  readonly #eventLog: EventLog;
  readonly #sendAnnouncement: SendAnnouncement;
  /** Start of the feed's current period, epoch ms; 0 while no client streams. */
  #feedSince: number;
  /**
   * Start of the last period that the feed reported as ended. Isolates with a stale cache may still send this value; it
   * must not start a period again.
   */
  #endedFeedSince = 0;
  /** Position up to which the feed has acknowledged this link's clicks; null until it has replied in this period. */
  #acknowledgedPosition: number | null = null;
  #feedCalledAt = 0;
  #alarmAt = 0;
  /** The link was erased: nothing may be announced or stored from now on. */
  #isStopped = false;

  constructor(
    ctx: DurableObjectState,
    times: StoredTimes,
    clickLog: Pick<ClickLog, "count" | "positionAt">,
    eventLog: EventLog,
    sendAnnouncement: SendAnnouncement,
  ) {
    this.#ctx = ctx;
    this.#times = times;
    this.#clickLog = clickLog;
    this.#eventLog = eventLog;
    this.#sendAnnouncement = sendAnnouncement;
    this.#feedSince = times.get("listened");
  }

  /** Starts announcing to a new period of the feed. @returns false when the period is already known, or has ended */
  start(since: number): boolean {
    if (since <= this.#feedSince || since <= this.#endedFeedSince) return false;
    this.#feedSince = since;
    this.#acknowledgedPosition = null;
    // Nothing is stored before the first click: its batch carries the period again, or it is still in memory.
    if (this.#clickLog.count > 0) this.#storeFeedSince();
    return true;
  }

  /**
   * Announces the clicks from a position onward. Must run in the turn that appends them, so that clicks and alarm are
   * one transaction.
   */
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

  /** Announces the clicks that an eviction or an unreachable feed has left unannounced. */
  async alarm(): Promise<void> {
    this.#alarmAt = 0;
    if (this.#feedSince === 0 || this.#acknowledgedPosition === this.#clickLog.count) return;
    await this.#announceAll();
  }

  /** Announces page after page, one call at a time, until the feed has acknowledged every click. */
  async #announceAll(): Promise<void> {
    // After an eviction the acknowledged position is unknown. The reply to an empty announcement contains it.
    let announcement: Announcement | null = this.#announcementFrom(this.#acknowledgedPosition ?? this.#clickLog.count);
    for (let failures = 0; announcement;) {
      this.#feedCalledAt = Date.now();
      const since = this.#feedSince;
      try {
        const result = await this.#sendAnnouncement(announcement);
        if (this.#isStopped) return;
        announcement = this.#handleResult(result, since);
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
   * @param since  value of `#feedSince` when the feed was called
   * @returns the next announcement; null when the feed has everything
   */
  #handleResult(result: AnnouncementResult, since: number): Announcement | null {
    switch (result.kind) {
      case "next":
        this.#acknowledgedPosition = result.next;
        return result.next < this.#clickLog.count ? this.#announcementFrom(result.next) : null;
      case "unknown":
        return { ...this.#announcementFrom(this.#clickLog.positionAt(result.since)), since: result.since };
      case "nobody":
        // A new period may have begun during the call.
        if (this.#feedSince > since) return this.#announcementFrom(this.#acknowledgedPosition ?? this.#clickLog.count);
        this.#endedFeedSince = since;
        this.#feedSince = 0;
        this.#storeFeedSince();
        return null;
      case "too_new":
        throw new Error("the feed runs an earlier release");
      default:
        result satisfies never;
        throw new Error("the feed returned an unknown result");
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
    // Each `setAlarm` is billed as a written row, so an earlier pending alarm is kept.
    if (this.#alarmAt > now && this.#alarmAt <= now + inMs) return;
    this.#alarmAt = now + inMs;
    void this.#ctx.storage.setAlarm(this.#alarmAt);
  }

  #storeFeedSince(): void {
    this.#times.set("listened", this.#feedSince);
  }
}

/**
 * Notifies the account's click object, once after each draw, that this link has new clicks. This happens before the
 * first of them is stored, so that no account statistics miss it. If the object does not respond, the database is
 * notified instead. If that fails too, the clicks are stored anyway and an alarm retries.
 *
 * One time is stored, `drawn`: the account has all clicks before it, or may have answered up to it. It is negative once
 * the account was notified of later clicks. Nothing is stored for accounts that do not participate.
 */

/** The ways to notify the account. Each throws on failure. */
interface NewsWays {
  object: (link: LinkSnapshot, isImport: boolean) => Promise<NewsResult>;
  database: (link: LinkSnapshot) => Promise<void>;
}

/** Clicks wait up to this long for each way. */
const WAY_TIMEOUT_MS = 1_000;
const DRAW_ALARM_DELAY_MS = MINUTE_MS / 2;
/**
 * `drawn` if both ways failed for a link that was never drawn and whose account is unknown: a time before all clicks.
 */
const FAILED_DRAWN = 1;

export class DrawAnnouncer {
  readonly #storage: DurableObjectStorage;
  readonly #times: StoredTimes;
  readonly #ways: NewsWays;
  /** Time up to which the account may have answered, epoch ms; 0 when this link knows of no participating account. */
  #drawn: number;
  /** Whether the account knows of the later clicks, or does not need to. */
  #isNotified: boolean;
  /** Both ways have failed; clicks are stored in the meantime. */
  #isFailed = false;
  #notifying: Promise<void> | null = null;

  constructor(storage: DurableObjectStorage, times: StoredTimes, ways: NewsWays) {
    this.#storage = storage;
    this.#times = times;
    this.#ways = ways;
    const stored = times.get("drawn");
    this.#drawn = Math.abs(stored);
    this.#isNotified = stored < 0;
  }

  /** Earliest time that a new click may be given, epoch ms. */
  get floor(): number {
    return this.#drawn;
  }

  /**
   * Whether the account must be notified before clicks are stored.
   * @param statsSince  when the account began to participate, epoch ms; undefined if it does not, null if the sender
   *   does not know
   */
  mustNotify(statsSince: number | null | undefined): boolean {
    if (this.#isFailed) return false;
    const mayBeAsked = this.#drawn > 0 || statsSince === null;
    return (mayBeAsked && !this.#isNotified) || (statsSince ?? 0) > this.#drawn;
  }

  /** Whether the account could not be notified in any way. */
  get isFailed(): boolean {
    return this.#isFailed;
  }

  /** Lets `mustNotify` ask for another try: an import, unlike a visit, is not stored after a failure. */
  retry(): void {
    this.#isFailed = false;
  }

  /** Never rejects: clicks are not lost if the account cannot be notified. */
  notify(link: LinkSnapshot, statsSince: number | null | undefined, isImport = false): Promise<void> {
    return (this.#notifying ??= this.#notify(link, statsSince ?? 0, isImport).finally(() => (this.#notifying = null)));
  }

  async #notify(link: LinkSnapshot, statsSince: number, isImport: boolean): Promise<void> {
    for (;;) {
      const before = this.#drawn;
      const floor = await this.#notifyObject(link, isImport).catch(() => this.#notifyDatabase(link));
      // The link was drawn in the meantime, perhaps after the account was notified.
      if (this.#drawn !== before) continue;
      this.#isFailed = floor === null;
      this.#isNotified = floor !== null;
      this.#drawn = Math.max(before, statsSince, floor ?? FAILED_DRAWN);
      return;
    }
  }

  /** @returns the earliest time that a new click may be given; 0 when the account does not participate */
  async #notifyObject(link: LinkSnapshot, isImport: boolean): Promise<number> {
    const result = await withTimeout(WAY_TIMEOUT_MS, this.#ways.object(link, isImport));
    if (result.kind === "unavailable") throw new Error("the account's object runs an earlier release");
    return result.kind === "noted" ? result.floor : 0;
  }

  /** @returns null when this fails too */
  async #notifyDatabase(link: LinkSnapshot): Promise<number | null> {
    try {
      await withTimeout(WAY_TIMEOUT_MS, this.#ways.database(link));
      // The account chooses the end of an answer before it reads the database: after its current millisecond.
      return Date.now() + 1;
    } catch (error) {
      console.warn("account not told of clicks", { link: link.id, error: String(error) });
      return null;
    }
  }

  /** Called in the transaction that stores clicks. */
  store(): void {
    const value = this.#isNotified ? -this.#drawn : this.#drawn;
    if (this.#times.get("drawn") !== value) this.#times.set("drawn", value);
    if (this.#isFailed) void this.#wakeAt(Date.now() + DRAW_ALARM_DELAY_MS);
  }

  /** Called when the account has all clicks before a time and needs to be notified of later ones. */
  draw(before: number, isStored: boolean): void {
    this.#drawn = Math.max(this.#drawn, before);
    this.#isNotified = false;
    this.#isFailed = false;
    // An object without clicks stores nothing. If its first clicks are not announced, the account's sweep finds them.
    if (isStored) this.#times.set("drawn", this.#drawn);
  }

  /** Notifies the account of clicks that were stored without its knowledge. @param lastAt  time of the last click */
  async alarm(link: LinkSnapshot, lastAt: number): Promise<void> {
    if (this.#isNotified || this.#drawn === 0 || lastAt < this.#drawn) return;
    this.#isFailed = false;
    await this.notify(link, 0);
    this.store();
  }

  async #wakeAt(at: number): Promise<void> {
    const known = await this.#storage.getAlarm();
    if (known === null || known > at) await this.#storage.setAlarm(at);
  }
}
