import { expect, test } from "vitest";

import { demoLinks } from "../../src/cli/demo/demo-links.ts";
import { demoBatches } from "../../src/cli/demo/demo-traffic.ts";
import { seededRandom } from "../../src/cli/demo/seeded-random.ts";
import { unpackColumns } from "../../src/core/clicks/click-batch.ts";
import { lastTime } from "../../src/core/clicks/click-times.ts";
import { isReservedPath } from "../../src/core/hosts.ts";

const NOW = Date.UTC(2026, 10, 20, 15, 30);

test("the demo has as many links as are wanted, each with a slug of its own, the oldest first", () => {
  for (const count of [1, 3, 150, 2_000]) {
    const links = demoLinks(count, NOW, seededRandom(1));
    expect(new Set(links.map(({ slug }) => slug)).size).toBe(count);
    expect(links.map(({ createdAt }) => createdAt)).toEqual(
      links.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
    );
    expect(links.filter(({ slug, createdAt }) => isReservedPath(slug) || createdAt > NOW)).toEqual([]);
  }
});

test("the clicks of a demo link are the same in every run, in order, and between its creation and now", () => {
  const [link] = demoLinks(1, NOW, seededRandom(1));
  if (!link) throw new Error("no link");
  const batches = [...demoBatches(link, NOW, seededRandom(7))];
  expect([...demoBatches(link, NOW, seededRandom(7))]).toEqual(batches);
  let last = link.createdAt;
  for (const batch of batches) {
    expect(batch.at).toBeGreaterThanOrEqual(last);
    last = lastTime(batch);
  }
  expect(last).toBeLessThan(NOW);
  const rules = new Set(batches.flatMap(({ columns }) => unpackColumns(columns).rule.values));
  expect([...rules].toSorted()).toEqual(["", "0", "1", "2"]);
});
