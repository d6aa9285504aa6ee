/**
 * Links in the order of their clicks by people: most clicked first, of as many clicks the newest (highest id) first. An
 * account may have a million of them, so they are kept by number, and only ids that may be on a page are looked up. Pure.
 */
import type { LinkClickCount } from "../protocol/account-object-rpc.ts";
import type { NumberTally } from "./tally.ts";

interface LinkNumbers {
  /** The id of a number. */
  textOf: (number: number) => string;
  /** The number of an id; null when it has none. */
  find: (id: string) => number | null;
}

export class LinkRanking {
  readonly #tally: NumberTally;
  readonly #ids: LinkNumbers;

  /** @param tally  clicks by the number of the link */
  constructor(tally: NumberTally, ids: LinkNumbers) {
    this.#tally = tally;
    this.#ids = ids;
  }

  /** The links that follow one; the first ones for null. */
  page(after: LinkClickCount | null, limit: number): { links: LinkClickCount[]; hasMore: boolean } {
    const most = after?.clicks ?? Infinity;
    const tied = after ? this.#between(most, most).filter(({ id }) => id < after.id) : [];
    const wanted = limit + 1 - tied.length;
    const below = wanted > 0 ? this.#between(this.#leastOf(wanted, most), most - 1) : [];
    const found = [...tied.sort(byClicks), ...below.sort(byClicks)];
    return { links: found.slice(0, limit), hasMore: found.length > limit };
  }

  /** Whether people have clicked a link. */
  has(id: string): boolean {
    const number = this.#ids.find(id);
    return number !== null && (this.#tally.human[indexOf(this.#tally.numbers, number)] ?? 0) > 0;
  }

  /** Clicks of the last of so many links with fewer than `most` clicks; 1 when there are not as many. */
  #leastOf(wanted: number, most: number): number {
    const counts = this.#tally.human.filter((clicks) => clicks > 0 && clicks < most).sort();
    return counts.at(-wanted) ?? 1;
  }

  #between(least: number, most: number): LinkClickCount[] {
    const { numbers, human } = this.#tally;
    const links: LinkClickCount[] = [];
    for (const [i, number] of numbers.entries()) {
      const clicks = human[i] ?? 0;
      if (clicks >= Math.max(least, 1) && clicks <= most) links.push({ id: this.#ids.textOf(number), clicks });
    }
    return links;
  }
}

function byClicks(one: LinkClickCount, other: LinkClickCount): number {
  return other.clicks - one.clicks || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}

/** @returns -1 when the number is not among them */
function indexOf(numbers: Uint32Array, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted ? low : -1;
}
