/**
 * The clicks that wait in this isolate, by link, and the bounds of their memory. Plain data: `recorder.ts` decides
 * which request sends a queue. Times and leases use `performance.now()`: in workerd it equals `Date.now()`, but tests
 * that freeze the date do not affect it.
 */
import { ClickQueue } from "../core/clicks/protocol/click-queue.ts";
import type { LocationHint } from "../core/deployment/settings.ts";
import type { VisitorHashes } from "../core/visitors/visitor-hashes.ts";

/** Memory of all queues of one account. */
interface AccountUsage {
  accountId: string;
  queues: number;
  bytes: number;
}

/** Clicks waiting for one link's object. */
export interface LinkQueue {
  /** Name of the link's object. */
  name: string;
  accountUsage: AccountUsage;
  clicks: ClickQueue;
  /** A place near the first visitor: the link's object may have to be created. */
  locationHint: LocationHint | undefined;
  /** Memory as last measured. */
  bytes: number;
  /** Total clicks ever added. */
  enqueued: number;
  /** Consecutive failed calls. */
  failures: number;
  /** Earliest time of the next call, set by the object's delay or by the backoff after a failure. */
  pausedUntil: number;
  /** When the leader counts as canceled: the runtime runs no clean-up for a canceled request. */
  leaseUntil: number;
  standbyUntil: number;
}

export const LEASE_MS = 1_500;

/** Memory for clicks in one isolate, which has 128 MB in total. */
const QUEUED_MAX_BYTES = 16 * 1024 * 1024;
/** Memory of an empty queue, as measured. */
const QUEUE_BASE_BYTES = 600;
/** Number of queues that one search for orphans examines, out of possibly tens of thousands. */
const ORPHAN_SCAN_QUEUES = 16;

export class LinkQueues {
  readonly #queues = new Map<string, LinkQueue>();
  readonly #usageByAccount = new Map<string, AccountUsage>();
  /** The position at which the search for orphans continues. */
  #orphanScan = this.#queues.values();
  #bytes = 0;

  get size(): number {
    return this.#queues.size;
  }

  /** Estimated memory of all queues. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param name  of the link's object
   * @param hashes  null if visitors are not distinguished
   */
  getOrCreate(name: string, accountId: string, hashes: VisitorHashes | null): LinkQueue {
    return this.#queues.get(name) ?? this.#create(name, accountId, hashes);
  }

  #create(name: string, accountId: string, hashes: VisitorHashes | null): LinkQueue {
    const usage = this.#usageByAccount.get(accountId) ?? { accountId, queues: 0, bytes: 0 };
    this.#usageByAccount.set(accountId, usage);
    usage.queues++;
    const queue: LinkQueue = {
      name,
      accountUsage: usage,
      clicks: new ClickQueue(randomBatchId, hashes),
      locationHint: undefined,
      bytes: 0,
      enqueued: 0,
      failures: 0,
      pausedUntil: 0,
      leaseUntil: 0,
      standbyUntil: 0,
    };
    this.#queues.set(name, queue);
    this.updateBytes(queue);
    return queue;
  }

  /**
   * Whether a queue has room for another click. A link and its account together may use as much memory as is still free
   * (a dynamic threshold). One link whose object does not answer thus leaves two thirds of the memory to the others.
   * All links of an account leave half of it, although each of their batches holds its link's rules. New clicks are
   * dropped, not old ones: a batch that was sent may already be stored, so it is not known whether dropping it loses
   * anything.
   */
  hasRoom({ bytes, accountUsage }: LinkQueue): boolean {
    return bytes + accountUsage.bytes < QUEUED_MAX_BYTES - this.#bytes;
  }

  /** Updates a queue's measured memory after a change. */
  updateBytes(queue: LinkQueue): void {
    const bytes = QUEUE_BASE_BYTES + queue.clicks.bytes;
    this.#bytes += bytes - queue.bytes;
    queue.accountUsage.bytes += bytes - queue.bytes;
    queue.bytes = bytes;
  }

  /**
   * Finds a queue with clicks whose leader gave up or was canceled, and leases it to the caller; null if none was
   * found.
   */
  leaseOrphan(): LinkQueue | null {
    const now = performance.now();
    for (let looked = 0; looked < ORPHAN_SCAN_QUEUES && this.#queues.size > 0; looked++) {
      const { value: queue } = this.#orphanScan.next();
      if (!queue) this.#orphanScan = this.#queues.values();
      else if (now < queue.leaseUntil || this.removeIfIdle(queue, now)) continue;
      else if (queue.clicks.count > 0) {
        queue.leaseUntil = now + LEASE_MS;
        return queue;
      }
    }
    return null;
  }

  /** Removes all empty queues without a pending delay or lease. */
  removeIdle(): void {
    const now = performance.now();
    for (const queue of this.#queues.values()) this.removeIfIdle(queue, now);
  }

  /**
   * Removes an empty queue. Two leaders may hold one after a lease expired, so one that was already removed or replaced
   * is left alone.
   */
  removeIfIdle(queue: LinkQueue, now = performance.now()): boolean {
    const isIdle = queue.clicks.count === 0 && now >= Math.max(queue.pausedUntil, queue.leaseUntil);
    if (!isIdle || this.#queues.get(queue.name) !== queue) return false;
    this.#bytes -= queue.bytes;
    queue.accountUsage.bytes -= queue.bytes;
    if (--queue.accountUsage.queues === 0) this.#usageByAccount.delete(queue.accountUsage.accountId);
    return this.#queues.delete(queue.name);
  }
}

/** 48 random bits: a number that SQLite stores in six bytes. */
function randomBatchId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 16) * 2 ** 32 + low;
}
