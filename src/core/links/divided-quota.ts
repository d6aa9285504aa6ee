/**
 * A quota of what several databases count, each for itself. Up to its reserve a database need not ask the others; beyond
 * it their counts are read, and each of them counts as its reserve at least, so that all together never exceed the quota.
 * Links spread evenly, so an account that nears its quota has filled every reserve. Pure.
 */

/** Half of an equal part; all of it where there is one database. */
export function reserveOf(max: number, databases: number): number {
  return databases === 1 ? max : Math.floor(max / (2 * databases));
}

export class DividedQuota {
  readonly #max: number;
  readonly #reserve: number;
  /** By database; the count of one that cannot be read is taken for an equal part. */
  readonly #counts: number[];

  /** @param counts  null where it is not known */
  constructor(max: number, counts: readonly (number | null)[]) {
    this.#max = max;
    this.#reserve = reserveOf(max, counts.length);
    this.#counts = counts.map((count) => count ?? Math.floor(max / counts.length));
  }

  /** The count that a database may reach. */
  limitOf(database: number): number {
    const others = this.#counts.filter((_, i) => i !== database);
    return others.reduce((left, count) => left - Math.max(count, this.#reserve), this.#max);
  }

  hasRoomIn(database: number): boolean {
    return (this.#counts[database] ?? 0) < this.limitOf(database);
  }

  addTo(database: number): void {
    this.#counts[database] = (this.#counts[database] ?? 0) + 1;
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }
}
