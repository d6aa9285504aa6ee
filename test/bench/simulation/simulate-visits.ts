/**
 * Visits one by one: an isolate's cache has the link or not, and its click waits for the link's object or not. Work
 * grows with the visits, not with the links. Wherever the closed form (`demand.ts`) holds, both must agree.
 */
import { seededRandom } from "../../../src/cli/demo/demo-links.ts";
import { CALLS_PER_SECOND } from "../../../src/core/clicks/protocol/call-pacing.ts";
import { BUCKETS } from "../../../src/core/links/buckets.ts";
import { bucketOf, databaseOf } from "./buckets.ts";
import { callGapMs } from "./caches.ts";
import { type LinkCache, newLinkCache, SimulatedSender, visitCache } from "./isolate.ts";
import { replicaOf, type Traffic } from "./traffic.ts";
import { VisitorStream } from "./visitor-stream.ts";
import { fineChance, linkBins } from "./zipf.ts";

export interface Simulation {
  /** Time that is counted, after caches have filled. */
  seconds: number;
  seed: number;
  /** @param done  from 0 to 1 */
  onProgress?: (done: number) => void;
}

export interface SimulatedVisits {
  redirects: number;
  cold: number;
  refreshed: number;
  /** Calls to links' objects. */
  calls: number;
  /** Reads by replica and bucket. */
  reads: Uint32Array;
}

/** Links that can be so busy that their isolates wait longer, or their object sets the pace. */
const BUSY_LINKS = 1_000;
const PROGRESS_VISITS = 2 ** 18;

export function simulateVisits(traffic: Traffic, { seconds, seed, onProgress }: Simulation): SimulatedVisits {
  const stream = new VisitorStream(traffic, fineChance(seededRandom(seed)));
  // No read from before counts after it.
  const startMs = traffic.cacheSeconds * 1_000;
  const endMs = startMs + seconds * 1_000;
  const calls = new CallCounter(startMs);
  const isolates = startIsolates(traffic, calls);
  const counted = { redirects: 0, cold: 0, refreshed: 0, reads: newReads(traffic) };
  stream.next();
  for (let visits = 1; stream.at < endMs; visits++) {
    const answer = isolates[stream.isolate]?.visit(stream.rank, Math.floor(stream.at)) ?? "hit";
    if (stream.at >= startMs) {
      counted.redirects++;
      if (answer !== "hit") {
        counted[answer]++;
        const cell = replicaOf(stream.place, traffic) * BUCKETS + bucketOf(stream.rank);
        counted.reads[cell] = (counted.reads[cell] ?? 0) + 1;
      }
    }
    stream.next();
    if (visits % PROGRESS_VISITS === 0) onProgress?.(stream.at / endMs);
  }
  return { ...counted, calls: calls.total(seconds) };
}

class SimulatedIsolate {
  readonly #traffic: Traffic;
  readonly #cache: LinkCache;
  readonly #sender: SimulatedSender;
  readonly #gaps: readonly number[];

  /** @param gaps  ms between two calls for a link, by rank; links of later ranks have the last */
  constructor(traffic: Traffic, cache: LinkCache, calls: CallCounter, gaps: readonly number[]) {
    this.#traffic = traffic;
    this.#cache = cache;
    this.#sender = new SimulatedSender((rank, at) => calls.count(rank, at));
    this.#gaps = gaps;
  }

  visit(rank: number, now: number): ReturnType<typeof visitCache> {
    this.#sender.click(rank, now, this.#gaps[Math.min(rank, this.#gaps.length) - 1] ?? NaN);
    return visitCache(this.#cache, rank, now, this.#traffic);
  }
}

/** Calls to objects, each of which accepts a limited number per second. */
class CallCounter {
  readonly #startMs: number;
  readonly #busy = new Map<number, number>();
  #others = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  count(rank: number, at: number): void {
    if (at < this.#startMs) return;
    if (rank <= BUSY_LINKS) this.#busy.set(rank, (this.#busy.get(rank) ?? 0) + 1);
    else this.#others++;
  }

  total(seconds: number): number {
    const most = CALLS_PER_SECOND * seconds;
    return [...this.#busy.values()].reduce((sum, calls) => sum + Math.min(calls, most), this.#others);
  }
}

function startIsolates(traffic: Traffic, calls: CallCounter): SimulatedIsolate[] {
  const gaps = callGaps(traffic);
  return Array.from({ length: traffic.places }, () => {
    const shared = newLinkCache();
    const cache = () => (traffic.isCacheShared ? shared : newLinkCache());
    return Array.from({ length: traffic.isolates }, () => new SimulatedIsolate(traffic, cache(), calls, gaps));
  }).flat();
}

function callGaps(traffic: Traffic): number[] {
  const perIsolate = traffic.redirectsPerSecond / traffic.places / traffic.isolates;
  const busy = linkBins(traffic.links, traffic.zipf, BUSY_LINKS).slice(0, BUSY_LINKS);
  return busy.map(({ share }) => Math.round(callGapMs(share * perIsolate, traffic)));
}

function newReads({ replicas }: Traffic): Uint32Array {
  return new Uint32Array(Math.max(replicas, 1) * BUCKETS);
}

/** Reads of the busiest database, and of the busiest replica. */
export function busiestOf({ reads }: SimulatedVisits, databases: number): { reads: number; replica: number } {
  const replicas = reads.length / BUCKETS;
  const byReplica = new Float64Array(databases * replicas);
  const byDatabase = new Float64Array(databases);
  reads.forEach((count, cell) => {
    const database = databaseOf(cell % BUCKETS, databases);
    const instance = database * replicas + Math.floor(cell / BUCKETS);
    byReplica[instance] = (byReplica[instance] ?? 0) + count;
    byDatabase[database] = (byDatabase[database] ?? 0) + count;
  });
  return { reads: Math.max(...byDatabase), replica: Math.max(...byReplica) };
}
