import { expect, test } from "vitest";

import { unpackColumns } from "../../../src/core/clicks/click-batch.ts";
import { unpackTimes } from "../../../src/core/clicks/click-times.ts";
import { ScanKeys } from "../../../src/core/clicks/scan-keys.ts";
import { clicksOfSlice } from "../../../src/core/clicks/scanned-clicks.ts";
import { CountingScan, type ScanQuestion } from "../../../src/core/clicks/stats-scan.ts";
import { passesFor, UniquesPass } from "../../../src/core/clicks/uniques-scan.ts";
import { ClickMix } from "../../bench/click-mix.ts";
import { packClicks } from "../../support/pack-clicks.ts";
import { randomInteger, seededRandom } from "../../support/seeded-random.ts";

const AT = Date.UTC(2026, 10, 21, 9);

test.each([
  [0, 1],
  [524_288, 1],
  [524_289, 2],
  [10_000_000, 20],
])("a day of %i clicks is counted in %i passes", (clicks, passes) => {
  expect(passesFor(clicks)).toBe(passes);
});

test("several passes count as many visitors as one does", () => {
  const chance = seededRandom(3);
  const batch = packClicks(
    new ClickMix().batch(AT, 3_000).map((click) => ({ ...click, visitor: 1 + randomInteger(chance, 900) * 77_777 })),
  );
  const slice = { columns: unpackColumns(batch.columns), times: unpackTimes(batch), position: 0, revision: 1 };
  const clicks = clicksOfSlice({ ...slice, from: 0, to: 3_000 });
  const keys = new ScanKeys("device", () => null);
  const starts = [AT, AT + 5_000, AT + 10_000];
  const question: ScanQuestion = { request: { includeBots: false }, field: "device", filters: [], keys, starts };
  const counts = new CountingScan(question);
  counts.add(clicks);
  const countedIn = (passes: number) => {
    const sums = { total: 0, buckets: [] as number[], bins: [] as number[] };
    for (let i = 0; i < passes; i++) {
      const pass = new UniquesPass(question, counts.buckets(), i, passes);
      pass.add(clicks);
      sums.total += pass.visitors.total;
      for (const name of ["buckets", "bins"] as const) {
        sums[name] = pass.visitors[name].map((count, n) => count + (sums[name][n] ?? 0));
      }
    }
    return sums;
  };
  const once = countedIn(1);
  expect(once.total).toBeGreaterThan(800);
  for (const passes of [2, 3, 20]) expect(countedIn(passes)).toEqual(once);
});
