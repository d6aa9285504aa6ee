/** Visits in chronological order: the link, the place, and the isolate that answers. Random (Poisson). */
import { placeShares, type Traffic } from "./traffic.ts";
import { ZipfSampler } from "./zipf.ts";

export class VisitorStream {
  /** Time of the last visit: ms from the start. */
  at = 0;
  /** Rank of its link. */
  rank = 1;
  place = 0;
  /** From 0, over all places. */
  isolate = 0;
  readonly #traffic: Traffic;
  readonly #chance: () => number;
  readonly #sampler: ZipfSampler;
  /** Where each place's part of all visitors ends. */
  readonly #ends: Float64Array;

  constructor(traffic: Traffic, chance: () => number) {
    this.#traffic = traffic;
    this.#chance = chance;
    this.#sampler = new ZipfSampler(traffic.links, traffic.zipf);
    let end = 0;
    this.#ends = Float64Array.from(placeShares(traffic), (share) => (end += share));
  }

  /** Advances to the next visit. */
  next(): void {
    const { redirectsPerSecond, isolates } = this.#traffic;
    const chance = this.#chance;
    this.at -= (Math.log(1 - chance()) / redirectsPerSecond) * 1_000;
    this.rank = this.#sampler.sample(chance);
    this.place = this.#placeAt(chance());
    this.isolate = this.place * isolates + Math.floor(chance() * isolates);
  }

  /** The first place whose end is after the point. */
  #placeAt(point: number): number {
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 1) > point) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
