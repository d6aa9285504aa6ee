/** Keeps a few of many things that come one after the other, evenly spread over all of them. Pure. */
export class SpreadSamples<T> {
  readonly #max: number;
  #kept: T[] = [];
  /** One of so many is kept. */
  #every = 1;
  #seen = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** In the order in which they came: at least half of `max`, where so many came. */
  get kept(): T[] {
    return this.#kept;
  }

  add(make: () => T): void {
    if (this.#seen++ % this.#every > 0) return;
    this.#kept.push(make());
    if (this.#kept.length <= this.#max) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}
