import { expect, test } from "vitest";

import { parseDatabaseMap } from "../../../src/core/links/database-map.ts";
import { requireReachable } from "../../../src/core/links/map-changes.ts";
import { spreadBuckets } from "../../../src/core/links/spread-buckets.ts";

const ONE = undefined;
const MOVING = '{"DB":"0-511","LINKS_1":"512-1023 from DB"}';
const TWO = '{"DB":"0-511","LINKS_1":"512-1023"}';

test.each([
  [ONE, ONE],
  [ONE, '{"DB":"0-1023"}'],
  [ONE, MOVING],
  [MOVING, TWO],
  [TWO, TWO],
  [TWO, '{"DB":"0-511","LINKS_2":"512-1023 from LINKS_1"}'],
])("%s may be followed by %s", (before, after) => {
  expect(() => requireReachable(parseDatabaseMap(before), parseDatabaseMap(after))).not.toThrow();
});

test.each([
  [ONE, TWO, 'has bucket 512 in LINKS_1, and its links are in DB: move them, with "512 from DB"'],
  [TWO, ONE, 'has bucket 512 in DB, and its links are in LINKS_1: move them, with "512 from LINKS_1"'],
  [MOVING, ONE, "has bucket 512 in DB, and its links are in LINKS_1"],
  [TWO, spreadBuckets(4), "has bucket 256 in LINKS_1, and its links are in DB"],
])("%s may not be followed by %s", (before, after, message) => {
  expect(() => requireReachable(parseDatabaseMap(before), parseDatabaseMap(after))).toThrow(message);
});

test("buckets are spread evenly over any number of databases", () => {
  for (const count of [1, 2, 3, 4, 63, 64]) {
    const { places, databases } = parseDatabaseMap(spreadBuckets(count));
    expect(databases).toEqual(["DB", ...Array.from({ length: count - 1 }, (_, i) => `LINKS_${i + 1}`)]);
    const sizes = databases.map((name) => places.filter(({ database }) => database === name).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }
});
