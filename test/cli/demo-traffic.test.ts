import { expect, test } from "vitest";

import { demoLinks, seededRandom } from "../../src/cli/demo/demo-links.ts";
import { demoBatches } from "../../src/cli/demo/demo-traffic.ts";
import { lastTime, unpackColumns } from "../../src/core/clicks/encoding/click-batch.ts";
import { VISITOR_BYTES } from "../../src/core/clicks/encoding/column-encoding.ts";
import { isReservedPath } from "../../src/core/hosts.ts";
import { UNKNOWN_VISITOR } from "../../src/core/visitors/visitor-hashes.ts";

const NOW = Date.UTC(2026, 10, 20, 15, 30);

test("the demo has the requested number of links, each with its own slug, the oldest first", () => {
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
  for (const { clicks } of batches) {
    expect(clicks.at).toBeGreaterThanOrEqual(last);
    last = lastTime(clicks);
  }
  expect(last).toBeLessThan(NOW);
  const rules = new Set(batches.flatMap(({ clicks }) => unpackColumns(clicks.columns).rule.values));
  expect([...rules].toSorted()).toEqual(["", "0", "1", "2"]);
});

test("visitors of the demo see the version of their day, and some return on the same day", () => {
  const [link] = demoLinks(1, NOW, seededRandom(1));
  if (!link) throw new Error("no link");
  const batches = [...demoBatches(link, NOW, seededRandom(7))];
  expect([...new Set(batches.map(({ version }) => version))]).toEqual([0, 1, 2]);
  for (const { version, clicks } of batches) {
    expect(clicks.at).toBeGreaterThanOrEqual(link.versions[version]?.since ?? Infinity);
    expect(lastTime(clicks)).toBeLessThan(link.versions[version + 1]?.since ?? Infinity);
  }
  const visitors = batches.flatMap(({ clicks }) => {
    const bytes = Buffer.from(unpackColumns(clicks.columns).visitors ?? []);
    return Array.from({ length: clicks.count }, (_, i) => bytes.readUIntLE(i * VISITOR_BYTES, VISITOR_BYTES));
  });
  expect(visitors).not.toContain(UNKNOWN_VISITOR);
  const share = new Set(visitors).size / visitors.length;
  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(0.95);
});
