/**
 * Tells the object of the account's clicks, once after each draw, that this link has clicks again: before the first of
 * them is stored, so that no answer of the account misses it. Where that object does not answer, the database is told;
 * where that fails too, the clicks are stored all the same, and an alarm tries again.
 *
 * Stored is one time, `drawn`: the account has all clicks before it, or may have answered up to it. It is negative once
 * the account was told that there are later ones. Nothing is stored for accounts that do not take part.
 */
import type { NewsResult } from "../core/clicks/protocol/account-object-rpc.ts";
import { MINUTE_MS } from "../core/durations.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { withTimeout } from "../store/timeout.ts";
import type { StoredTimes } from "./link-state.ts";

/** How the account is told; each throws when it fails. */
interface NewsWays {
  object: (link: LinkSnapshot) => Promise<NewsResult>;
  database: (link: LinkSnapshot) => Promise<void>;
}

/** Clicks wait so long for each way. */
const WAY_TIMEOUT_MS = 1_000;
const ALARM_DELAY_MS = MINUTE_MS / 2;
/** Of a link that was never drawn, whose account is not known, and could not be told: a time before all clicks. */
const FAILED_DRAWN = 1;

export class DrawAnnouncer {
  readonly #storage: DurableObjectStorage;
  readonly #times: StoredTimes;
  readonly #ways: NewsWays;
  /** Up to here the account may have answered, epoch ms; 0 when this link knows of no account that takes part. */
  #drawn: number;
  /** Whether the account knows that there are later clicks, or need not. */
  #isTold: boolean;
  /** Both ways have failed: clicks are stored meanwhile. */
  #isFailed = false;
  #telling: Promise<void> | null = null;

  constructor(storage: DurableObjectStorage, times: StoredTimes, ways: NewsWays) {
    this.#storage = storage;
    this.#times = times;
    this.#ways = ways;
    const stored = times.get("drawn");
    this.#drawn = Math.abs(stored);
    this.#isTold = stored < 0;
  }

  /** No click may be dated before this, epoch ms. */
  get floor(): number {
    return this.#drawn;
  }

  /**
   * Whether the account must be told before clicks are stored.
   * @param statsSince  since when the account takes part, epoch ms; undefined while it does not, null where the sender
   *   does not know
   */
  mustTell(statsSince: number | null | undefined): boolean {
    if (this.#isFailed) return false;
    const mayBeAsked = this.#drawn > 0 || statsSince === null;
    return (mayBeAsked && !this.#isTold) || (statsSince ?? 0) > this.#drawn;
  }

  /** Never rejects: clicks are not lost because the account cannot be told. */
  tell(link: LinkSnapshot, statsSince: number | null | undefined): Promise<void> {
    return (this.#telling ??= this.#tell(link, statsSince ?? 0).finally(() => (this.#telling = null)));
  }

  async #tell(link: LinkSnapshot, statsSince: number): Promise<void> {
    for (;;) {
      const before = this.#drawn;
      const floor = await this.#tellObject(link).catch(() => this.#tellDatabase(link));
      // Drawn meanwhile, perhaps after the account was told.
      if (this.#drawn !== before) continue;
      this.#isFailed = floor === null;
      this.#isTold = floor !== null;
      this.#drawn = Math.max(before, statsSince, floor ?? FAILED_DRAWN);
      return;
    }
  }

  /** @returns the time before which no click may be dated; 0 when nobody asks */
  async #tellObject(link: LinkSnapshot): Promise<number> {
    const result = await withTimeout(WAY_TIMEOUT_MS, this.#ways.object(link));
    if (result.kind === "unavailable") throw new Error("the account's object is of an earlier release");
    return result.kind === "noted" ? result.floor : 0;
  }

  /** @returns null when that failed too */
  async #tellDatabase(link: LinkSnapshot): Promise<number | null> {
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
    const value = this.#isTold ? -this.#drawn : this.#drawn;
    if (this.#times.get("drawn") !== value) this.#times.set("drawn", value);
    if (this.#isFailed) void this.#wakeAt(Date.now() + ALARM_DELAY_MS);
  }

  /** The account has all clicks before a time, and asks to be told of later ones. */
  draw(before: number, isStored: boolean): void {
    this.#drawn = Math.max(this.#drawn, before);
    this.#isTold = false;
    this.#isFailed = false;
    // An object without clicks stores nothing: the sweep of the account finds its first ones, if they are not announced.
    if (isStored) this.#times.set("drawn", this.#drawn);
  }

  /** Tells the account of what was stored without its knowledge. @param lastAt  time of the last click */
  async alarm(link: LinkSnapshot, lastAt: number): Promise<void> {
    if (this.#isTold || this.#drawn === 0 || lastAt < this.#drawn) return;
    this.#isFailed = false;
    await this.tell(link, 0);
    this.store();
  }

  async #wakeAt(at: number): Promise<void> {
    const known = await this.#storage.getAlarm();
    if (known === null || known > at) await this.#storage.setAlarm(at);
  }
}
