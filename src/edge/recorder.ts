/**
 * Group commit: the clicks of one link that an isolate serves at the same time go to the link's object together.
 *
 * The request with the first click leads: in its own `waitUntil` it sends the queue, waits a moment for more clicks,
 * sends those, and ends when the queue stays empty. Requests that arrive in the meantime only add their click. One of
 * them is the standby: it takes over when the leader's request is canceled and its lease expires. A leader that has
 * drained its own queue adopts orphaned ones. An isolate's state is plain data: no request may await, resolve or call
 * anything that belongs to another, which workerd would end as a hang. A batch keeps its id until it is acknowledged,
 * so it counts once however often it is sent.
 */
import type { NewClick } from "../core/clicks/facts.ts";
import {
  CallPacer,
  clicksPerMs,
  localDelayMs,
  sendDelayMs,
  senderBackoffMs,
} from "../core/clicks/protocol/call-pacing.ts";
import type { QueuedBatch } from "../core/clicks/protocol/click-queue.ts";
import { type LocationHint, locationHintOf } from "../core/deployment/settings.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { VisitorHashes } from "../core/visitors/visitor-hashes.ts";
import type { Geography } from "../core/visitors/visitor.ts";
import { recordBatch } from "../store/link-object-client.ts";
import type { FoundLink } from "../store/links/link-rows.ts";
import { readVisitorSalts } from "../store/maintenance-client.ts";
import { count, countMax } from "../store/metrics/isolate-metrics.ts";
import { isOverloaded, UnavailableError, withTimeout } from "../store/timeout.ts";
import { updateCachedLink } from "./link-lookup.ts";
import { LEASE_MS, type LinkQueue, LinkQueues } from "./link-queues.ts";

/**
 * The salts of visitors' hashes in this isolate, which reads a day's salt with the first batch of that day. No redirect
 * waits for it: the sender of a batch does, briefly. Like the recorder's, its state is plain data, because no request
 * may await anything that belongs to another.
 */

/** How long a sender waits for a salt. After a longer wait, statistics would lack the clicks. */
const SALT_WAIT_MAX_MS = 2_000;
/** Time between an isolate's attempts if KV or the object does not answer, or has no salt. */
const RETRY_MS = 10_000;
const POLL_MS = 50;

class VisitorSalts {
  readonly #hashes = new VisitorHashes();
  /** When the reading request counts as canceled. */
  #readingUntil = 0;
  #pausedUntil = 0;

  /** @returns null if visitors are not distinguished */
  hashesFor(env: Env): VisitorHashes | null {
    return env.VISITOR_SALTS ? this.#hashes : null;
  }

  /** Waits until the salt of a UTC day is known, at most SALT_WAIT_MAX_MS. Never throws. */
  async load(env: Env, day: number): Promise<void> {
    const startedAt = performance.now();
    for (let now = startedAt; !this.#hashes.has(day); now = performance.now()) {
      const leftMs = startedAt + SALT_WAIT_MAX_MS - now;
      if (leftMs <= 0 || now < this.#pausedUntil) return;
      if (now < this.#readingUntil) await new Promise((done) => setTimeout(done, POLL_MS));
      else await this.#read(env, day, leftMs);
    }
  }

  async #read(env: Env, day: number, timeoutMs: number): Promise<void> {
    this.#readingUntil = performance.now() + timeoutMs;
    try {
      this.#hashes.learn(await withTimeout(timeoutMs, readVisitorSalts(env, day)));
    } catch (error) {
      console.warn("visitors not counted: no salt of the day", { error: String(error) });
    }
    this.#readingUntil = 0;
    if (!this.#hashes.has(day)) this.#pausedUntil = performance.now() + RETRY_MS;
  }
}

const RPC_TIMEOUT_MS = 5_000;

/** Snapshots that their object has acknowledged. */
const acknowledgedSnapshots = new WeakSet<LinkSnapshot>();

/**
 * Sends a batch of clicks to its link's object, with the link's snapshot unless the object has acknowledged it. A newer
 * revision in the reply updates the isolate's cache of links.
 * @param locationHint  where the link's object is created if this is its first call
 * @returns the delay that the object requests, ms; undefined from an object that runs an earlier release
 * @throws when the batch may not be stored: the caller retries with the same id
 */
async function sendBatch(
  env: Env,
  { link, batch }: QueuedBatch,
  locationHint: LocationHint | undefined,
): Promise<number | undefined> {
  const optimistic = acknowledgedSnapshots.has(link) ? batch : { ...batch, snapshot: link };
  let recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, optimistic, locationHint));
  if (recorded.kind === "snapshot_missing") {
    recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, { ...batch, snapshot: link }, locationHint));
  }
  // Includes `too_new`, from an object whose release is older than this Worker, or than its own storage.
  if (recorded.kind !== "recorded") throw new Error(`the object refused a batch: ${recorded.kind}`);
  acknowledgedSnapshots.add(link);
  if (recorded.newer) updateCachedLink(recorded.newer);
  return recorded.gatherMs;
}

/** State of an isolate's recorder, for operators. */
export interface RecorderState {
  /** Links with clicks that are waiting or being sent. */
  links: number;
  /** Their estimated memory. */
  bytes: number;
  /** Clicks dropped since the isolate started. */
  dropped: number;
}

const DROPPED_LOG_INTERVAL_MS = 10_000;

const STANDBY_MS = 2_000;
const STANDBY_POLL_MS = 500;
/** How long one request leads, well under the 30 s that `waitUntil` is granted. */
const LEAD_MAX_MS = 10_000;
/** How long it leads while the object does not answer, or clicks wait that no other request would send. */
const LEAD_RETRY_MAX_MS = 20_000;

/** Queues that one leader adopts: a request on the free plan may make 50 calls. */
const ADOPTED_QUEUES_MAX = 8;

/** The recorder of one isolate; tests run several at a time. @internal */
export class Recorder {
  readonly #queues = new LinkQueues();
  readonly #salts = new VisitorSalts();
  readonly #firstCalls = CallPacer.ofFirstCalls();
  #dropped = 0;
  #droppedReported = 0;
  #nextDroppedLogAt = -Infinity;

  get state(): RecorderState {
    this.#queues.removeIdle();
    return { links: this.#queues.size, bytes: this.#queues.bytes, dropped: this.#dropped };
  }

  /**
   * Queues a click; this request sends it unless another one leads the queue.
   * @param name  of the link's object
   * @param geography  of the visitor
   */
  record(
    env: Env,
    ctx: ExecutionContext,
    name: string,
    { link, feedSince, statsSince }: Pick<FoundLink, "link" | "feedSince" | "statsSince">,
    click: NewClick,
    geography: Geography,
  ): void {
    const queue = this.#queues.getOrCreate(name, link.accountId, this.#salts.hashesFor(env));
    if (this.#queues.hasRoom(queue)) {
      queue.clicks.add(link, feedSince, click, statsSince);
      queue.enqueued++;
      this.#queues.updateBytes(queue);
    } else {
      this.#dropped++;
      count("dropped_clicks");
      this.#logDropped(link.id);
    }
    const now = performance.now();
    if (now >= queue.leaseUntil) {
      queue.leaseUntil = now + LEASE_MS;
      if (queue.pausedUntil === 0) {
        queue.pausedUntil = now + this.#firstCalls.reserve(now);
        queue.locationHint = locationHintOf(geography);
      }
      ctx.waitUntil(this.#lead(env, queue, now));
    } else if (now >= queue.standbyUntil) {
      queue.standbyUntil = now + STANDBY_MS;
      ctx.waitUntil(this.#standBy(env, queue));
    }
  }

  /** Logs how many clicks were dropped since the last log line, at a bounded rate. */
  #logDropped(link: string): void {
    const now = performance.now();
    if (this.#dropped === this.#droppedReported || now < this.#nextDroppedLogAt) return;
    console.error("clicks dropped: queues are full because link objects do not answer", {
      link,
      clicks: this.#dropped - this.#droppedReported,
      sinceStart: this.#dropped,
    });
    this.#droppedReported = this.#dropped;
    this.#nextDroppedLogAt = now + DROPPED_LOG_INTERVAL_MS;
  }

  /** @param startedAt  when the leading request began its background work, by `performance.now()` */
  async #lead(env: Env, queue: LinkQueue, startedAt: number): Promise<void> {
    await this.#drain(env, queue, startedAt);
    // A leader whose calls fail adopts nothing: it would add load to a system that is already failing.
    for (let adopted = 0; adopted < ADOPTED_QUEUES_MAX && queue.failures === 0; adopted++) {
      const orphan = this.#queues.leaseOrphan();
      if (!orphan) return;
      await this.#drain(env, orphan, startedAt);
    }
  }

  /** Sends a queue, batch by batch, until it is empty or the leader's time is over. */
  async #drain(env: Env, queue: LinkQueue, startedAt: number): Promise<void> {
    let sent = queue.enqueued;
    let sentAt = startedAt;
    // Runs after the response: packing and calling take longer than everything before.
    if (queue.pausedUntil <= startedAt) await sleep(0);
    while (await this.#waitUntilCallable(queue, startedAt)) {
      const day = queue.clicks.missingSaltDay;
      if (day !== null) await this.#loadSalt(env, queue, day);
      const next = queue.clicks.next();
      if (!next) break;
      this.#queues.updateBytes(queue);
      const now = performance.now();
      const perMs = clicksPerMs(queue.enqueued - sent, now - sentAt);
      sent = queue.enqueued;
      sentAt = now;
      queue.leaseUntil = now + RPC_TIMEOUT_MS + LEASE_MS;
      const requestedMs = await this.#trySend(env, queue, next);
      if (requestedMs !== null) this.#scheduleNextCall(queue, now, perMs, requestedMs);
      if (queue.clicks.count === 0 && (isLone(next) || performance.now() - startedAt > LEAD_MAX_MS)) break;
    }
    queue.leaseUntil = 0;
    this.#queues.removeIfIdle(queue);
  }

  /** Waits until the object may be called again. @returns false if that is after the leader's time */
  async #waitUntilCallable(queue: LinkQueue, startedAt: number): Promise<boolean> {
    const now = performance.now();
    const waitMs = Math.max(queue.pausedUntil - now, 0);
    if (now + waitMs - startedAt > LEAD_RETRY_MAX_MS) return false;
    queue.leaseUntil = now + waitMs + LEASE_MS;
    if (waitMs > 0) await sleep(waitMs);
    return true;
  }

  /** Clicks wait for the salt of their day; without it their visitors are not known. */
  async #loadSalt(env: Env, queue: LinkQueue, day: number): Promise<void> {
    queue.leaseUntil = performance.now() + SALT_WAIT_MAX_MS + LEASE_MS;
    await this.#salts.load(env, day);
  }

  /** @returns the delay that the object requests, ms; undefined if none, null if the call failed */
  async #trySend(env: Env, queue: LinkQueue, next: QueuedBatch): Promise<number | undefined | null> {
    try {
      const requestedMs = await sendBatch(env, next, queue.locationHint);
      queue.clicks.remove(next);
      queue.failures = 0;
      this.#queues.updateBytes(queue);
      countStored(next);
      return requestedMs;
    } catch (error) {
      console.warn("clicks not yet stored", { link: next.link.id, error: String(error) });
      // After a timeout too, a retry adds to the object's calls.
      const overloaded = error instanceof UnavailableError || isOverloaded(error);
      count("failed_batches");
      if (overloaded) count("overloads");
      queue.failures++;
      queue.pausedUntil = performance.now() + senderBackoffMs(queue.failures, overloaded, Math.random());
      this.#logDropped(next.link.id);
      return null;
    }
  }

  /** Schedules the next call after one that succeeded. A batch that is already packed waits for no more clicks. */
  #scheduleNextCall(queue: LinkQueue, calledAt: number, perMs: number, requestedMs: number | undefined): void {
    const now = performance.now();
    const windowMs = sendDelayMs(requestedMs, now - calledAt, Math.random());
    queue.pausedUntil =
      now + (queue.clicks.hasPacked ? windowMs : Math.max(windowMs, localDelayMs(this.#queues.size, perMs)));
  }

  /**
   * Takes over when the leader's request is canceled and its lease expires. Stays until all clicks that arrived before
   * its first check are stored; later clicks get their own standby.
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
}

/** The recorder of this isolate. */
export const recorder = new Recorder();

/** After a batch of one click, the leader ends. The next click's request leads, and waits for the object's slot too. */
function isLone({ batch }: QueuedBatch): boolean {
  return batch.clicks.count === 1;
}

function countStored({ batch }: QueuedBatch): void {
  count("batches");
  count("clicks", batch.clicks.count);
  countMax("queue_max_ms", Date.now() - batch.clicks.at);
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
