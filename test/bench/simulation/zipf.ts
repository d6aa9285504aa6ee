/**
 * Visits to links by Zipf's law: the link of rank k is visited in proportion to k^-s. Drawn at random, one link at a
 * time, or in sums over all links. Neither stores anything per link, so a thousand million cost the same as ten. Pure.
 */

/**
 * Draws ranks by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", ACM Transactions on Modeling and Computer Simulation 6 (1996), 169–184. Exact, with
 * slightly more than one attempt per rank.
 */
export class ZipfSampler {
  readonly #links: number;
  readonly #exponent: number;
  readonly #first: number;
  readonly #last: number;
  /** Ranks this near to the inverted value need no second check. */
  readonly #near: number;

  constructor(links: number, exponent: number) {
    this.#links = links;
    this.#exponent = exponent;
    this.#first = integral(1.5, exponent) - 1;
    this.#last = integral(links + 0.5, exponent);
    this.#near = 2 - inverseIntegral(integral(2.5, exponent) - weight(2, exponent), exponent);
  }

  /** @param chance  from 0 to under 1, with the full precision of a double (`fineChance`) */
  sample(chance: () => number): number {
    for (;;) {
      const area = this.#last + chance() * (this.#first - this.#last);
      const at = inverseIntegral(area, this.#exponent);
      const rank = Math.min(Math.max(Math.round(at), 1), this.#links);
      if (rank - at <= this.#near) return rank;
      if (area >= integral(rank + 0.5, this.#exponent) - weight(rank, this.#exponent)) return rank;
    }
  }
}

/** 53 random bits from two numbers of 32 bits: with fewer, most of a thousand million ranks are never drawn. */
export function fineChance(chance: () => number): () => number {
  return () => (Math.floor(chance() * 2 ** 27) * 2 ** 26 + Math.floor(chance() * 2 ** 26)) / 2 ** 53;
}

function weight(x: number, exponent: number): number {
  return x ** -exponent;
}

/** The integral of `weight` from 1 to x. */
function integral(x: number, exponent: number): number {
  const log = Math.log(x);
  const power = (1 - exponent) * log;
  return power === 0 ? log : (Math.expm1(power) / power) * log;
}

function inverseIntegral(area: number, exponent: number): number {
  const power = Math.max(area * (1 - exponent), -1);
  return Math.exp(power === 0 ? area : (Math.log1p(power) / power) * area);
}

/** Links with about the same share of the visits. */
export interface LinkBin {
  /** Rank of its first link. */
  rank: number;
  links: number;
  /** Share of all visits that each of its links gets. */
  share: number;
}

/** The links of the first ranks have separate bins; further down a bin's ranks differ by this factor at most. */
const BIN_RATIO = 1.01;

/** All links, the most visited first. @param single  how many have separate bins */
export function linkBins(links: number, exponent: number, single: number): LinkBin[] {
  const bins: LinkBin[] = [];
  let total = 0;
  for (let rank = 1; rank <= links;) {
    const next = rank < single ? rank + 1 : Math.min(Math.max(Math.floor(rank * BIN_RATIO), rank + 1), links + 1);
    const share = weight((rank + next - 1) / 2, exponent);
    bins.push({ rank, links: next - rank, share });
    total += share * (next - rank);
    rank = next;
  }
  return bins.map((bin) => ({ ...bin, share: bin.share / total }));
}
