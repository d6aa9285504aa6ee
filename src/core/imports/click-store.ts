/**
 * The clicks of a file, sorted by link and time. They may exceed memory, so they are written to storage of the front end
 * in runs, from which the clicks of one link are read together.
 */

/** Writes bytes that follow each other. @returns a function that reads the text between two of their positions */
export type Spill = (parts: Uint8Array<ArrayBuffer>[]) => Promise<ReadText>;

type ReadText = (start: number, end: number) => Promise<string>;

/** A run in memory takes a few times as much. */
const RUN_MAX_CHARS = 32 * 1024 * 1024;

interface Run {
  read: ReadText;
  places: Map<string, [start: number, end: number]>;
}

export class ClickStore {
  /** Number of clicks, by link. */
  readonly counts = new Map<string, number>();
  readonly #spill: Spill;
  readonly #runMaxChars: number;
  readonly #runs: Run[] = [];
  #pending = new Map<string, string[]>();
  #pendingChars = 0;

  constructor(spill: Spill, runMaxChars = RUN_MAX_CHARS) {
    this.#spill = spill;
    this.#runMaxChars = runMaxChars;
  }

  /** @param click  a text without line breaks that begins with its time */
  async add(key: string, click: string): Promise<void> {
    const clicks = this.#pending.get(key);
    if (clicks) clicks.push(click);
    else this.#pending.set(key, [click]);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.#pendingChars += click.length;
    if (this.#pendingChars > this.#runMaxChars) await this.#endRun();
  }

  /** The clicks of a link in order of time; equal times in an order that does not depend on the file's. */
  async clicksOf(key: string): Promise<string[]> {
    const clicks = [...(this.#pending.get(key) ?? [])];
    for (const { read, places } of this.#runs) {
      const place = places.get(key);
      if (place) for (const click of (await read(...place)).split("\n")) clicks.push(click);
    }
    return clicks.sort();
  }

  async #endRun(): Promise<void> {
    const places: Run["places"] = new Map();
    let size = 0;
    const parts = Array.from(this.#pending, ([key, clicks]) => {
      const part = new Uint8Array(new TextEncoder().encode(clicks.join("\n")));
      places.set(key, [size, (size += part.length)]);
      return part;
    });
    this.#runs.push({ read: await this.#spill(parts), places });
    this.#pending = new Map();
    this.#pendingChars = 0;
  }
}
