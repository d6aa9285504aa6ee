import { describe, expect, test } from "vitest";

import { BUCKETS } from "../../../src/core/links/buckets.ts";
import {
  InvalidDatabaseMap,
  parseDatabaseMap,
  spreadBuckets,
  unreachableProblem,
} from "../../../src/store/directory/database-map.ts";

describe("LINK_DATABASES", () => {
  test.each([undefined, "", " "])("%j: all links are in DB", (setting) => {
    const { places, databases } = parseDatabaseMap(setting);
    expect(databases).toEqual(["DB"]);
    expect(places).toHaveLength(BUCKETS);
    expect(new Set(places.map(({ database, source }) => `${database} ${source}`))).toEqual(new Set(["DB null"]));
  });

  test("ranges, single buckets, and buckets that move", () => {
    const { places, databases } = parseDatabaseMap(
      '{"DB":"0-255, 300","LINKS_1":"256-299 from DB,301-511","LINKS_63":"512-1023"}',
    );
    expect(databases).toEqual(["DB", "LINKS_1", "LINKS_63"]);
    expect([0, 255, 256, 299, 300, 301, 512, 1023].map((bucket) => places[bucket])).toEqual([
      { database: "DB", source: null },
      { database: "DB", source: null },
      { database: "LINKS_1", source: "DB" },
      { database: "LINKS_1", source: "DB" },
      { database: "DB", source: null },
      { database: "LINKS_1", source: null },
      { database: "LINKS_63", source: null },
      { database: "LINKS_63", source: null },
    ]);
  });

  test.each([
    ["{", "is not JSON"],
    ["[]", "is not a JSON object"],
    ['{"DB":"0-1022"}', "does not name bucket 1023"],
    ['{"DB":"0-1023","LINKS_0":"7"}', "names bucket 7 twice"],
    ['{"DB":"0-1024"}', "has no range of buckets"],
    ['{"DB":"9-3"}', "has no range of buckets"],
    ['{"DB":""}', "has no range of buckets"],
    ['{"DB":1023}', "must name ranges of buckets for DB"],
    ['{"LINKS_64":"0-1023"}', 'names "LINKS_64"'],
    ['{"QR_IMAGES":"0-1023"}', 'names "QR_IMAGES"'],
    ['{"LINKS_1":"0-1023 from LINKS_1"}', "moves buckets from LINKS_1 to itself"],
    ['{"LINKS_1":"0-1023 from links_2"}', 'names "links_2"'],
    [`{"DB":"${"0,".repeat(20_000)}"}`, "is longer than"],
  ])("%.60s: %s", (setting, message) => {
    expect(() => parseDatabaseMap(setting)).toThrow(InvalidDatabaseMap);
    expect(() => parseDatabaseMap(setting)).toThrow(message);
  });
});

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
  expect(unreachableProblem(before, after)).toBeNull();
});

test.each([
  [ONE, TWO, 'has bucket 512 in LINKS_1, and its links are in DB: move them, with "512 from DB"'],
  [TWO, ONE, 'has bucket 512 in DB, and its links are in LINKS_1: move them, with "512 from LINKS_1"'],
  [MOVING, ONE, "has bucket 512 in DB, and its links are in LINKS_1"],
  [TWO, spreadBuckets(4), "has bucket 256 in LINKS_1, and its links are in DB"],
])("%s may not be followed by %s", (before, after, message) => {
  expect(unreachableProblem(before, after)).toContain(message);
});

test("buckets are spread evenly over any number of databases", () => {
  for (const count of [1, 2, 3, 4, 63, 64]) {
    const { places, databases } = parseDatabaseMap(spreadBuckets(count));
    expect(databases).toEqual(["DB", ...Array.from({ length: count - 1 }, (_, i) => `LINKS_${i + 1}`)]);
    const sizes = databases.map((name) => places.filter(({ database }) => database === name).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }
});
