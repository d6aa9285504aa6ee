/** Scans of one object's log, one after the other: each takes the object's CPU and memory for a while. */
const WAITING_MAX = 64;
const WAIT_MAX_MS = 2_000;

export class ScanQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @returns busy when too many scans wait, or the ones before take too long */
  async run<T>(scan: () => Promise<T>): Promise<T | "busy"> {
    if (this.#waiting >= WAITING_MAX) return "busy";
    const turn = this.#last;
    const ended = Promise.withResolvers<unknown>();
    this.#last = ended.promise;
    this.#waiting++;
    const isTurn = await within(WAIT_MAX_MS, turn).finally(() => this.#waiting--);
    if (!isTurn) {
      ended.resolve(turn);
      return "busy";
    }
    try {
      return await scan();
    } finally {
      ended.resolve(null);
    }
  }
}

async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((done) => (timer = setTimeout(done, ms, false)));
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Lets calls that came meanwhile run first. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}
