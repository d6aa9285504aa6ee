/**
 * Group commit: clicks of one link that meet in an isolate go to its object together.
 *
 * The first click leads: in its own `waitUntil` it sends what is queued, gathers for a while, sends what came meanwhile,
 * and ends when nothing did. Clicks that come while someone leads only join the queue. One of them stands deputy and
 * looks after the queue should the leader's request be cut off. A leader that has served its own link adopts queues that
 * nobody looks after.
 * An isolate's state is plain data: no request may await, resolve or call anything that belongs to another (workerd ends
 * it as a hang). A batch keeps its id until it is acknowledged, so sending it again, by whomever, counts once.
 * Terms and leases are spans of `performance.now()`: a date that is set in between must not end them.
 */
import { sendDelayMs, senderBackoffMs } from "../core/clicks/call-pacing.ts";
import type { NewClick } from "../core/clicks/facts.ts";
import { ClickQueue, type QueuedBatch } from "../core/clicks/click-queue.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { recordBatch } from "../store/link-object-client.ts";
import type { FoundLink } from "../store/links/links-by-address.ts";
import { UnavailableError, withTimeout } from "../store/timeout.ts";
import { updateCachedLink } from "./link-lookup.ts";

/** What the lines of an account's links hold together. */
interface AccountUsage {
  accountId: string;
  queues: number;
  bytes: number;
}

/** What waits in this isolate for one link's object. Times are by `performance.now()`. */
interface LinkQueue {
  name: string;
  accountUsage: AccountUsage;
  clicks: ClickQueue;
  /** What the line was last weighed at. */
  bytes: number;
  /** How many clicks have ever joined. */
  enqueued: number;
  /** Calls in a row that failed. */
  failures: number;
  /** No call before: the object asked for it, or the last call failed. */
  pausedUntil: number;
  /** Until when somebody leads; a leader that is cut off never clears it. */
  leaseUntil: number;
  standbyUntil: number;
}

/** What an isolate's recorder holds, for operators. */
export interface RecorderState {
  /** Links with clicks that wait or are on their way. */
  links: number;
  /** About how much memory they take. */
  bytes: number;
  /** Clicks that were dropped since the isolate started. */
  dropped: number;
}

/** Most that clicks may hold in one isolate, which has 128 MB for everything. */
const QUEUED_MAX_BYTES = 16 * 1024 * 1024;
/** Of a line without its queue, as measured. */
const QUEUE_BASE_BYTES = 600;
const DROPPED_LOG_INTERVAL_MS = 10_000;

const LEASE_MS = 1_500;
const STANDBY_MS = 2_000;
const STANDBY_POLL_MS = 500;
/** How long one request leads, well under the 30 s that `waitUntil` is granted. */
const LEAD_MAX_MS = 10_000;
/** How long a leader goes on when the object does not answer, or a click that nobody else looks after has come. */
const LEAD_RETRY_MAX_MS = 20_000;
const RPC_TIMEOUT_MS = 5_000;
const LOCAL_DELAY_MIN_MS = 40;
const LOCAL_DELAY_MAX_MS = 1_000;
/** With a click every millisecond in one isolate a link gathers for the longest time there is for volume alone. */
const VOLUME_DELAY_MAX_MS = 200;

/** Most queues that one leader adopts: a request on the free plan may make 50 calls. */
const ADOPTED_QUEUES_MAX = 8;
/** Lines that are looked at to find one to adopt: a bounded part of what may be tens of thousands. */
const ORPHAN_SCAN_QUEUES = 64;

/** Snapshots that their object has acknowledged: those need not be sent again. */
const acknowledgedSnapshots = new WeakSet<LinkSnapshot>();

/** The queues of one isolate; a test runs several beside each other. @internal */
export class Recorder {
  readonly #queues = new Map<string, LinkQueue>();
  /** By account. */
  readonly #usageByAccount = new Map<string, AccountUsage>();
  /** Where the search for queues that nobody looks after goes on. */
  #orphanScan = this.#queues.values();
  #bytes = 0;
  #dropped = 0;
  #droppedReported = 0;
  #nextDroppedLogAt = -Infinity;

  get state(): RecorderState {
    return { links: this.#queues.size, bytes: this.#bytes, dropped: this.#dropped };
  }

  /** Queues a click and sees to it that somebody sends it. Returns at once. @param name  of the link's object */
  record(
    env: Env,
    ctx: ExecutionContext,
    name: string,
    { link, feedSince }: Pick<FoundLink, "link" | "feedSince">,
    click: NewClick,
  ): void {
    const queue = this.#queues.get(name) ?? this.#newQueue(name, link.accountId);
    if (this.#hasRoom(queue)) {
      queue.clicks.add(link, feedSince, click);
      queue.enqueued++;
      this.#updateBytes(queue);
    } else {
      this.#dropped++;
      this.#logDropped(link.id);
    }
    const now = performance.now();
    if (now >= queue.leaseUntil) {
      queue.leaseUntil = now + LEASE_MS;
      ctx.waitUntil(this.#lead(env, queue, now));
    } else if (now >= queue.standbyUntil) {
      queue.standbyUntil = now + STANDBY_MS;
      ctx.waitUntil(this.#standBy(env, queue));
    }
  }

  #newQueue(name: string, accountId: string): LinkQueue {
    const share = this.#usageByAccount.get(accountId) ?? { accountId, queues: 0, bytes: 0 };
    this.#usageByAccount.set(accountId, share);
    share.queues++;
    const queue: LinkQueue = {
      name,
      accountUsage: share,
      clicks: new ClickQueue(randomBatchId),
      bytes: 0,
      enqueued: 0,
      failures: 0,
      pausedUntil: 0,
      leaseUntil: 0,
      standbyUntil: 0,
    };
    this.#queues.set(name, queue);
    this.#updateBytes(queue);
    return queue;
  }

  /**
   * A link and its account may hold as much together as is free (a dynamic threshold): one link whose object is dead leaves
   * two thirds of the memory to the others, and all of an account's links leave half of it, though each of its batches
   * holds its link's rules. New clicks are dropped rather than old ones: a batch that was sent may be stored, so whether
   * dropping it loses anything cannot be known, and a refusal costs one comparison.
   */
  #hasRoom({ bytes, accountUsage }: LinkQueue): boolean {
    return bytes + accountUsage.bytes < QUEUED_MAX_BYTES - this.#bytes;
  }

  #updateBytes(queue: LinkQueue): void {
    const bytes = QUEUE_BASE_BYTES + queue.clicks.bytes;
    this.#bytes += bytes - queue.bytes;
    queue.accountUsage.bytes += bytes - queue.bytes;
    queue.bytes = bytes;
  }

  /** Says how many clicks were dropped since it last did, at a bounded rate. */
  #logDropped(link: string): void {
    const now = performance.now();
    if (this.#dropped === this.#droppedReported || now < this.#nextDroppedLogAt) return;
    console.error("clicks dropped: too many wait for objects that do not answer", {
      link,
      clicks: this.#dropped - this.#droppedReported,
      sinceStart: this.#dropped,
    });
    this.#droppedReported = this.#dropped;
    this.#nextDroppedLogAt = now + DROPPED_LOG_INTERVAL_MS;
  }

  /** @param startedAt  when the request that leads began to work in the background, by `performance.now()` */
  async #lead(env: Env, queue: LinkQueue, startedAt: number): Promise<void> {
    await this.#drain(env, queue, startedAt);
    // While calls fail there are enough senders: those of other queues would only fail as well.
    for (let adopted = 0; adopted < ADOPTED_QUEUES_MAX && queue.failures === 0; adopted++) {
      const orphan = this.#nextOrphan();
      if (!orphan) return;
      await this.#drain(env, orphan, startedAt);
    }
  }

  /** Sends what waits for an object, batch by batch, until nothing comes any more or the leader's time is over. */
  async #drain(env: Env, queue: LinkQueue, startedAt: number): Promise<void> {
    let sent = queue.enqueued;
    let sentAt = startedAt;
    while (await this.#waitUntilCallable(queue, startedAt)) {
      const next = queue.clicks.next();
      if (!next) break;
      this.#updateBytes(queue);
      const now = performance.now();
      const perMs = (queue.enqueued - sent) / Math.max(now - sentAt, 1);
      sent = queue.enqueued;
      sentAt = now;
      queue.leaseUntil = now + RPC_TIMEOUT_MS + LEASE_MS;
      const requestedMs = await this.#trySend(env, queue, next);
      if (requestedMs !== null) this.#scheduleNextCall(queue, now, perMs, requestedMs);
      if (queue.clicks.count === 0 && performance.now() - startedAt > LEAD_MAX_MS) break;
    }
    queue.leaseUntil = 0;
    this.#removeIfIdle(queue);
  }

  /** Waits until the object may be called again. @returns false when the leader cannot stay so long */
  async #waitUntilCallable(queue: LinkQueue, startedAt: number): Promise<boolean> {
    const now = performance.now();
    const waitMs = Math.max(queue.pausedUntil - now, 0);
    if (now + waitMs - startedAt > LEAD_RETRY_MAX_MS) return false;
    queue.leaseUntil = now + waitMs + LEASE_MS;
    if (waitMs > 0) await sleep(waitMs);
    return true;
  }

  /** @returns how long the object asks to gather, ms; undefined when it does not say, null when the call failed */
  async #trySend(env: Env, queue: LinkQueue, next: QueuedBatch): Promise<number | undefined | null> {
    try {
      const requestedMs = await sendBatch(env, next);
      queue.clicks.remove(next);
      queue.failures = 0;
      this.#updateBytes(queue);
      return requestedMs;
    } catch (error) {
      console.warn("clicks not yet stored", { link: next.link.id, error: String(error) });
      queue.failures++;
      queue.pausedUntil = performance.now() + senderBackoffMs(queue.failures, isOverloaded(error), Math.random());
      this.#logDropped(next.link.id);
      return null;
    }
  }

  /** Sets when to send again after a call that was answered. What is packed already has nothing to gather. */
  #scheduleNextCall(queue: LinkQueue, calledAt: number, clicksPerMs: number, requestedMs: number | undefined): void {
    const now = performance.now();
    const windowMs = sendDelayMs(requestedMs, now - calledAt, Math.random());
    queue.pausedUntil = now + (queue.clicks.hasPacked ? windowMs : Math.max(windowMs, this.#localDelayMs(clicksPerMs)));
  }

  /**
   * How long to gather by what is known here: about one millisecond for each busy link, so that calls stay near a
   * thousand a second whatever the traffic; and longer for a link that is busy by itself, where a call costs more than
   * what it saves in time.
   */
  #localDelayMs(clicksPerMs: number): number {
    const byVolume = Math.min(clicksPerMs, 1) * VOLUME_DELAY_MAX_MS;
    return Math.min(Math.max(this.#queues.size, byVolume, LOCAL_DELAY_MIN_MS), LOCAL_DELAY_MAX_MS);
  }

  /**
   * The leader may be cut off with its request, even while its lease runs. Whoever stands by stays until all that came
   * in its watch is stored, and leads when the lease has run out; those who come later have a deputy of their own.
   */
  async #standBy(env: Env, queue: LinkQueue): Promise<void> {
    const startedAt = performance.now();
    await sleep(STANDBY_MS);
    const watched = queue.enqueued;
    while (queue.enqueued - queue.clicks.count < watched) {
      const now = performance.now();
      if (now >= queue.leaseUntil) return this.#lead(env, queue, startedAt);
      const pollAt = Math.max(queue.leaseUntil, now + STANDBY_POLL_MS);
      if (pollAt - startedAt > LEAD_RETRY_MAX_MS) return;
      await sleep(pollAt - now);
    }
  }

  /** A queue whose leader gave up or was cut off, with a lease for the caller. Forgets idle lines on its way. */
  #nextOrphan(): LinkQueue | null {
    for (let looked = 0; looked < ORPHAN_SCAN_QUEUES && this.#queues.size > 0; looked++) {
      const { value: queue } = this.#orphanScan.next();
      const now = performance.now();
      if (!queue) this.#orphanScan = this.#queues.values();
      else if (now < queue.leaseUntil || this.#removeIfIdle(queue)) continue;
      else if (queue.clicks.count > 0) {
        queue.leaseUntil = now + LEASE_MS;
        return queue;
      }
    }
    return null;
  }

  /** Nobody may need the line any more: after a lease that ran out there may be two leaders, and one has left. */
  #removeIfIdle(queue: LinkQueue): boolean {
    const isIdle = queue.clicks.count === 0 && performance.now() >= Math.max(queue.pausedUntil, queue.leaseUntil);
    if (!isIdle || this.#queues.get(queue.name) !== queue) return false;
    this.#bytes -= queue.bytes;
    queue.accountUsage.bytes -= queue.bytes;
    if (--queue.accountUsage.queues === 0) this.#usageByAccount.delete(queue.accountUsage.accountId);
    return this.#queues.delete(queue.name);
  }
}

/** Of this isolate. */
export const recorder = new Recorder();

async function sendBatch(env: Env, { link, batch }: QueuedBatch): Promise<number | undefined> {
  const first = acknowledgedSnapshots.has(link) ? batch : { ...batch, snapshot: link };
  let recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, first));
  if (recorded.kind === "snapshot_missing") {
    recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, { ...batch, snapshot: link }));
  }
  // `too_new` too: the object is of an earlier release than this Worker, or finds what a later one has stored.
  if (recorded.kind !== "recorded") throw new Error(`the object refused a batch: ${recorded.kind}`);
  acknowledgedSnapshots.add(link);
  if (recorded.newer) updateCachedLink(recorded.newer);
  return recorded.gatherMs;
}

/** 48 random bits: a number SQLite keeps in six bytes. */
function randomBatchId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 16) * 2 ** 32 + low;
}

/** An object that does not answer in time may have more calls than it can serve: others that come soon make it worse. */
function isOverloaded(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
