/** Runs the scans of an object's log one at a time: each uses the object's CPU and memory for a while. */
import { withTimeout } from "../store/timeout.ts";

const WAITING_MAX = 64;
const WAIT_MAX_MS = 2_000;
/**
 * Each piece of a scan takes up to 25 ms of CPU on the benchmark machine. The first pieces are read in the caller's
 * request, which may have done other work. The others are read in calls of the object to itself, because each call has
 * its own 30 s of CPU. Such a call needs a tenth of that on a machine half as fast.
 * @internal
 */
export const FIRST_PIECES = 4;
/**
 * Two calls read the 102 pieces of the largest scan. Its 20 passes over the visitors of a single day therefore make
 * fewer calls than the 50 of an invocation on the Free plan.
 * @internal
 */
export const CALL_PIECES = 51;

export class ScanQueue {
  readonly #callSelf: (part: number) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #parts = new Map<number, () => Promise<void>>();
  #lastPart = 0;

  /** @param callSelf  calls the object's own `readPart` over RPC */
  constructor(callSelf?: (part: number) => Promise<void>) {
    this.#callSelf = callSelf ?? ((part) => this.readPart(part));
  }

  /** @returns `busy` when too many scans are waiting, or the earlier ones take too long */
  async run<T>(scan: (pieces: ScanPieces) => Promise<T>): Promise<T | "busy"> {
    if (this.#waiting >= WAITING_MAX) return "busy";
    const turn = this.#last;
    const ended = Promise.withResolvers<unknown>();
    this.#last = ended.promise;
    this.#waiting++;
    try {
      await withTimeout(WAIT_MAX_MS, turn).finally(() => this.#waiting--);
    } catch {
      ended.resolve(turn);
      return "busy";
    }
    try {
      return await scan(new ScanPieces((part) => this.#inOwnCall(part)));
    } finally {
      ended.resolve(null);
    }
  }

  async readPart(part: number): Promise<void> {
    await this.#parts.get(part)?.();
  }

  /** @throws when the object was replaced in the meantime */
  async #inOwnCall<T>(work: () => Promise<T>): Promise<T> {
    const part = ++this.#lastPart;
    const results: Awaited<T>[] = [];
    this.#parts.set(part, async () => void results.push(await work()));
    await this.#callSelf(part).finally(() => this.#parts.delete(part));
    for (const result of results) return result;
    throw new Error("the scan was interrupted");
  }
}

/** Runs the pieces of one scan, over as many calls as they need. */
export class ScanPieces {
  readonly #inOwnCall: <T>(part: () => Promise<T>) => Promise<T>;
  #first = FIRST_PIECES;

  constructor(inOwnCall: <T>(part: () => Promise<T>) => Promise<T>) {
    this.#inOwnCall = inOwnCall;
  }

  /** @param piece  called until it returns anything but "more" */
  async run<T>(piece: () => T | "more"): Promise<T> {
    let result = await readPieces(piece, this.#first);
    this.#first = 0;
    while (result === "more") result = await this.#inOwnCall(() => readPieces(piece, CALL_PIECES));
    return result;
  }
}

async function readPieces<T>(piece: () => T | "more", count: number): Promise<T | "more"> {
  for (let i = 0; i < count; i++) {
    const result = piece();
    if (result !== "more") return result;
    await nextTurn();
  }
  return "more";
}

/** Lets calls that have arrived in the meantime run first. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}
