/** Scans of one object's log, one after the other: each takes the object's CPU and memory for a while. */
const SCANS_MAX = 4;

export class ScanQueue {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @returns null when as many scans run and wait as may */
  run<T>(scan: () => Promise<T>): Promise<T> | null {
    if (this.#count >= SCANS_MAX) return null;
    this.#count++;
    const result = this.#last.then(scan).finally(() => this.#count--);
    // The next scan runs also where this one failed.
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Lets calls that came meanwhile run first. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}
