/**
 * Links by descending human clicks; of equally clicked ones, the newest (highest id) first. An account may have a
 * million links, so they are kept by number, and only ids that may be on a page are looked up. Ids of equally clicked
 * links are all looked up, once for consecutive pages. Pure.
 */
import type { LinkClickCount } from "../protocol/account-object-rpc.ts";
import type { NumberTally } from "./tally.ts";

interface LinkNumbers {
  /** Returns the id of a number. */
  textOf: (number: number) => string;
  /** Returns the number of an id; null when it has none. */
  find: (id: string) => number | null;
}

export class LinkRanking {
  readonly #tally: NumberTally;
  readonly #ids: LinkNumbers;
  /** Numbers of clicks of all links that have any, ascending. */
  readonly #counts: Float64Array;
  /** The equally clicked links that were sorted last. */
  #ties = { clicks: 0, numbers: new Uint32Array() };

  /** @param tally  clicks by link number */
  constructor(tally: NumberTally, ids: LinkNumbers) {
    this.#tally = tally;
    this.#ids = ids;
    this.#counts = tally.human.filter((clicks) => clicks > 0).sort();
  }

  /** Returns the links after one; the first ones for null. */
  page(after: LinkClickCount | null, limit: number): { links: LinkClickCount[]; hasMore: boolean } {
    const most = after?.clicks ?? Infinity;
    const found = after?.clicks ? this.#tied(most, limit + 1, after.id) : [];
    const wanted = limit + 1 - found.length;
    const least = wanted > 0 ? this.#leastOf(wanted, most) : most;
    if (least < most) {
      found.push(...this.#between(least, most).sort(byClicks));
      found.push(...this.#tied(least, limit + 1 - found.length));
    }
    return { links: found.slice(0, limit), hasMore: found.length > limit };
  }

  /** Whether the link has human clicks. */
  has(id: string): boolean {
    const number = this.#ids.find(id);
    if (number === null) return false;
    const { numbers, human } = this.#tally;
    const i = firstIndex(numbers.length, (known) => (numbers[known] ?? 0) >= number);
    return numbers[i] === number && (human[i] ?? 0) > 0;
  }

  /** Clicks of the last of the top `wanted` links with fewer than `most` clicks; 1 if there are fewer such links. */
  #leastOf(wanted: number, most: number): number {
    const counts = this.#counts;
    return counts[firstIndex(counts.length, (i) => (counts[i] ?? 0) >= most) - wanted] ?? 1;
  }

  /** Links with exactly `clicks` clicks, in order. @param after  the id that they follow; omitted for the first ones */
  #tied(clicks: number, limit: number, after?: string): LinkClickCount[] {
    if (this.#ties.clicks !== clicks) this.#ties = { clicks, numbers: this.#sortedNumbers(clicks) };
    const { numbers } = this.#ties;
    const idAt = (i: number) => this.#ids.textOf(numbers[i] ?? 0);
    const first = after === undefined ? 0 : firstIndex(numbers.length, (i) => idAt(i) < after);
    const count = Math.min(limit, numbers.length - first);
    return Array.from({ length: count }, (_, i) => ({ id: idAt(first + i), clicks }));
  }

  #sortedNumbers(clicks: number): Uint32Array<ArrayBuffer> {
    const { numbers, human } = this.#tally;
    const tied = Array.from(numbers.filter((_, i) => human[i] === clicks));
    const links = tied.map((number) => ({ number, id: this.#ids.textOf(number), clicks }));
    return Uint32Array.from(links.sort(byClicks), ({ number }) => number);
  }

  /** Links with more than `least` and fewer than `most` clicks. */
  #between(least: number, most: number): LinkClickCount[] {
    const { numbers, human } = this.#tally;
    const links: LinkClickCount[] = [];
    for (const [i, number] of numbers.entries()) {
      const clicks = human[i] ?? 0;
      if (clicks > least && clicks < most) links.push({ id: this.#ids.textOf(number), clicks });
    }
    return links;
  }
}

function byClicks(one: LinkClickCount, other: LinkClickCount): number {
  return other.clicks - one.clicks || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}

/** The first index for which a condition holds, which must hold for all later ones too; the length if there is none. */
export function firstIndex(length: number, holds: (i: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
