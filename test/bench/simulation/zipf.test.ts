import { expect, test } from "vitest";

import { seededRandom } from "../../support/seeded-random.ts";
import { fineChance, linkBins, ZipfSampler } from "./zipf.ts";

const DRAWS = 200_000;
/** Random values are seeded: a result within five standard deviations is the same in every run. */
const DEVIATIONS = 5;

const draws = (links: number, exponent: number) => {
  const chance = fineChance(seededRandom(7));
  const sampler = new ZipfSampler(links, exponent);
  return Array.from({ length: DRAWS }, () => sampler.sample(chance));
};

test.each([
  [1, 1],
  [2, 1],
  [10, 0],
  [1_000, 0.7],
  [1_000, 1],
  [100_000, 1.3],
  [50, 3],
])("ranks of %i links are drawn as often as Zipf's law with exponent %f predicts", (links, exponent) => {
  const weights = Array.from({ length: links }, (_, i) => (i + 1) ** -exponent);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = new Map<number, number>();
  for (const rank of draws(links, exponent)) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  expect(Math.max(...counts.keys())).toBeLessThanOrEqual(links);
  for (const [i, weight] of weights.slice(0, 50).entries()) {
    const expected = (DRAWS * weight) / total;
    const off = Math.abs((counts.get(i + 1) ?? 0) - expected);
    expect(off, `rank ${i + 1}`).toBeLessThanOrEqual(DEVIATIONS * Math.sqrt(expected) + 1);
  }
});

test("with a thousand million links each range of ranks is drawn as often as its sum predicts", () => {
  const links = 1_000_000_000;
  const bins = linkBins(links, 1, 100);
  const ranks = draws(links, 1);
  for (let end = 10; end <= links; end *= 10) {
    const share = bins.reduce((sum, bin) => sum + (bin.rank + bin.links / 2 <= end ? bin.links * bin.share : 0), 0);
    const expected = DRAWS * share;
    const drawn = ranks.filter((rank) => rank <= end).length;
    // A bin at the end may fall on either side.
    expect(Math.abs(drawn - expected), `up to ${end}`).toBeLessThan(DEVIATIONS * Math.sqrt(expected) + DRAWS * 0.001);
  }
});

test("there are more random values than ranks", () => {
  const chance = fineChance(seededRandom(7));
  const values = Array.from({ length: 10_000 }, chance);
  expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...values)).toBeLessThan(1);
  expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1);
  const isFine = (value: number) => !Number.isInteger(value * 2 ** 40);
  expect(values.filter(isFine).length).toBeGreaterThan(9_990);
});

test.each([
  [1, 1],
  [1_000, 1],
  [123_456, 0.8],
  [1_000_000, 1.2],
  [1_000_000, 0],
])("bins of %i links contain all of them, with the share of each (exponent %f)", (links, exponent) => {
  const bins = linkBins(links, exponent, 100);
  expect(bins.reduce((sum, bin) => sum + bin.links, 0)).toBe(links);
  expect(bins.reduce((sum, bin) => sum + bin.links * bin.share, 0)).toBeCloseTo(1, 9);
  let total = 0;
  for (let rank = 1; rank <= links; rank++) total += rank ** -exponent;
  expect(bins[0]?.share).toBeCloseTo(1 / total, 5);
  expect(bins.length).toBeLessThan(1_200);
});
