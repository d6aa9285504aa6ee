import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  addClicks,
  addCounts,
  addEncodedTally,
  addTally,
  bucketsOf,
  type ClickCount,
  countsOf,
  emptyTally,
  encodeTally,
  numberTallyOf,
  type Tally,
  type TextTally,
  visitedTally,
} from "../../../../src/core/clicks/counting/tally.ts";

const decodeTally = (bytes: Uint8Array) => addEncodedTally(new Map(), bytes, 1) as TextTally;
const decodeNumbers = (bytes: Uint8Array) => addEncodedTally(emptyTally("link"), bytes, 1);

function tallyOf(counts: Record<string, number | [number, number]>): TextTally {
  return new Map(
    Object.entries(counts).map(([key, count]) => {
      const [human, nonHuman] = [count, 0].flat();
      return [key, { human: human ?? 0, nonHuman: nonHuman ?? 0 }];
    }),
  );
}

function sumOf(tally: TextTally): { human: number; nonHuman: number } {
  let [human, nonHuman] = [0, 0];
  for (const count of tally.values()) [human, nonHuman] = [human + count.human, nonHuman + count.nonHuman];
  return { human, nonHuman };
}

function listed(tally: TextTally, includeBots = false): string[] {
  return bucketsOf(tally, includeBots).map(({ key, clicks }) => `${key} ${clicks}`);
}

describe("7 buckets", () => {
  test.each([
    ["most clicks first, then by key", { b: 2, a: 2, c: 5, d: 1 }, ["c 5", "a 2", "b 2", "d 1"]],
    [
      "keys in the order of their code units",
      { ä: 1, a: 1, Z: 1, "": 1, "10": 1, "9": 1 },
      [" 1", "10 1", "9 1", "Z 1", "a 1", "ä 1"],
    ],
    ["none without clicks", { a: 0, b: 1 }, ["b 1"]],
    ["none at all", {}, []],
    ["`other` is a normal key", { mobile: 1, other: 3 }, ["other 3", "mobile 1"]],
  ])("%s", (_name, counts, expected) => {
    expect(listed(tallyOf(counts))).toEqual(expected);
  });

  test("human clicks alone, or with the rest", () => {
    const tally = tallyOf({ a: [1, 5], b: [2, 0], c: [0, 4] });
    expect(listed(tally)).toEqual(["b 2", "a 1"]);
    expect(listed(tally, true)).toEqual(["a 6", "c 4", "b 2"]);
  });

  const thousand = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${String(i).padStart(4, "0")}`, 10]));

  test("a thousand are listed without `other`", () => {
    expect(bucketsOf(tallyOf(thousand), false)).toHaveLength(1_000);
    expect(listed(tallyOf(thousand)).join()).not.toContain("other");
  });

  test("keys after the first thousand are added up in one `other`", () => {
    const buckets = bucketsOf(tallyOf({ ...thousand, x: 3, y: 4, z: 0 }), false);
    expect(buckets).toHaveLength(1_001);
    expect(buckets.slice(-2)).toEqual([
      { key: "k0999", clicks: 10 },
      { key: "other", clicks: 7 },
    ]);
  });

  test("a listed `other` includes them, and is sorted by its sum", () => {
    const buckets = bucketsOf(tallyOf({ ...thousand, other: 11, x: 3 }), false);
    expect(buckets).toHaveLength(1_000);
    // Eleven of `other`, ten of the thousand-and-first key, three of the last.
    expect(buckets[0]).toEqual({ key: "other", clicks: 11 + 10 + 3 });
    const moved = bucketsOf(tallyOf({ ...thousand, top: 30, other: 29, x: 9 }), false);
    expect(moved.slice(0, 2)).toEqual([
      { key: "other", clicks: 29 + 2 * 10 + 9 },
      { key: "top", clicks: 30 },
    ]);
  });

  test("an `other` among the last remains a single bucket", () => {
    const buckets = bucketsOf(tallyOf({ ...thousand, other: 1, x: 3 }), false);
    expect(buckets.filter(({ key }) => key === "other")).toEqual([{ key: "other", clicks: 4 }]);
  });

  test.each([
    ["a key that a later tally folded is subtracted from `other`", { a: -2, b: 7, other: 5 }, ["b 7", "other 3"]],
    ["an `other` without clicks is not listed", { a: -5, b: 7, other: 5 }, ["b 7"]],
    ["`other` moves down", { a: -2, b: 4, other: 5 }, ["b 4", "other 3"]],
  ])("%s", (_name, counts, expected) => {
    expect(listed(tallyOf(counts))).toEqual(expected);
  });

  test("property: the sum of buckets is the sum of counts, in order, each key once", () => {
    const keys = fc.constantFrom("other", "a", "b", "c", "d", "unknown");
    const counts = fc.dictionary(keys, fc.tuple(fc.nat(4), fc.nat(4)), { noNullPrototype: true });
    fc.assert(
      fc.property(counts, fc.nat(1_200), fc.boolean(), (few, many, bots) => {
        const tally = tallyOf({
          ...few,
          ...Object.fromEntries(Array.from({ length: many }, (_, i) => [`k${i}`, i % 5])),
        });
        const buckets = bucketsOf(tally, bots);
        const { human, nonHuman } = sumOf(tally);
        expect(buckets.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(human + (bots ? nonHuman : 0));
        expect(new Set(buckets.map(({ key }) => key)).size).toBe(buckets.length);
        expect(buckets.length).toBeLessThanOrEqual(1_001);
        expect(buckets.every(({ clicks }) => clicks > 0)).toBe(true);
        const ordered = buckets.length > 1_000 ? buckets.slice(0, 1_000) : buckets;
        expect(ordered).toEqual(ordered.toSorted((a, b) => b.clicks - a.clicks || (a.key < b.key ? -1 : 1)));
      }),
      { numRuns: 60 },
    );
  });

  test("the tally itself is not changed", () => {
    const tally = tallyOf({ a: -2, other: 5 });
    bucketsOf(tally, false);
    expect(tally).toEqual(tallyOf({ a: -2, other: 5 }));
  });
});

describe("stored tallies", () => {
  const anyTally: fc.Arbitrary<TextTally> = fc
    .array(fc.tuple(fc.string({ unit: "grapheme" }), fc.record({ human: fc.nat(), nonHuman: fc.nat() })))
    .map((entries) => new Map(entries));

  test("property: survive a round trip in their order", () => {
    fc.assert(
      fc.property(anyTally, (tally) => {
        expect([...decodeTally(encodeTally(tally))]).toEqual([...tally]);
      }),
    );
  });

  test.each(["__proto__", "constructor", "toString", "", "\u2028", '"', "a,b"])("%j is a normal key", (key) => {
    const tally: TextTally = new Map();
    addClicks(tally, key, 1, 2);
    addClicks(tally, key, 3, 4);
    expect([...decodeTally(encodeTally(tally))]).toEqual([[key, { human: 4, nonHuman: 6 }]]);
  });

  test("property: subtracting everything that was added leaves nothing", () => {
    fc.assert(
      fc.property(anyTally, anyTally, (first, second) => {
        const tally: TextTally = new Map();
        addTally(tally, first);
        addTally(tally, second);
        expect(sumOf(tally)).toEqual({
          human: sumOf(first).human + sumOf(second).human,
          nonHuman: sumOf(first).nonHuman + sumOf(second).nonHuman,
        });
        addTally(tally, first, -1);
        addTally(tally, second, -1);
        for (const count of tally.values()) expect([Math.abs(count.human), Math.abs(count.nonHuman)]).toEqual([0, 0]);
      }),
    );
  });

  test("merging never changes the other tally, not even later", () => {
    const [tally, other]: [TextTally, TextTally] = [new Map(), tallyOf({ a: [1, 1] })];
    addTally(tally, other);
    addClicks(tally, "a", 5, 5);
    expect(other).toEqual(tallyOf({ a: [1, 1] }));
  });
});

describe("a flood of keys", () => {
  const many = (count: number): TextTally =>
    new Map(Array.from({ length: count }, (_, i) => [`k${i}`, { human: 1, nonHuman: 2 }]));

  const longest = (i: number) => `${i}.`.padEnd(253, "long-host-name.");
  const longKeys = (count: number): TextTally =>
    new Map(Array.from({ length: count }, (_, i) => [longest(i), { human: 1, nonHuman: 2 }]));

  test("3,000 cities are kept by name", () => {
    expect(decodeTally(encodeTally(many(3_000)))).toEqual(many(3_000));
  });

  test.each([
    ["short", many(20_000)],
    ["253 characters long", longKeys(20_000)],
    ["not in ASCII", new Map([...many(20_000)].map(([key, count]) => [`東京 ${key}`, count]))],
  ])("of keys %s, 64 KB are stored, and nothing is lost", (_, tally) => {
    const bytes = encodeTally(tally);
    expect(bytes.length).toBeLessThanOrEqual(64 * 1024);
    const stored = decodeTally(bytes);
    expect(sumOf(stored)).toEqual(sumOf(tally));
    const named = [...stored.keys()].filter((key) => key !== "other");
    expect(named).toEqual([...tally.keys()].slice(0, named.length));
    expect(stored.get("other")).toEqual({ human: 20_000 - named.length, nonHuman: 2 * (20_000 - named.length) });
  });

  test("clicks without a key are never counted among those with one", () => {
    const stored = decodeTally(encodeTally(new Map([...longKeys(20_000), ["", { human: 7, nonHuman: 8 }]])));
    expect(stored.get("")).toEqual({ human: 7, nonHuman: 8 });
  });

  test("of an unknown format is not read", () => {
    expect(() => decodeTally(new Uint8Array([2, 0]))).toThrow("format");
  });

  test("joins an existing `other`, early or late", () => {
    const folded = 20_000 - decodeTally(encodeTally(many(20_000))).size + 1;
    const other: [string, ClickCount] = ["other", { human: 7, nonHuman: 0 }];
    for (const tally of [new Map([other, ...many(20_000)]), new Map([...many(20_000), other])]) {
      expect(decodeTally(encodeTally(tally)).get("other")).toEqual({ human: 7 + folded, nonHuman: 2 * folded });
    }
  });

  test("property: a named key stays named in later tallies, however large its counts grow", () => {
    const keys = fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { maxLength: 100 });
    fc.assert(
      fc.property(keys, fc.nat(4_000), (more, count) => {
        let tally: TextTally = new Map();
        for (const [key] of [...many(count), ...more.map((key) => [key]), ...longKeys(200)] as [string][]) {
          addClicks(tally, key, 1, 1);
        }
        for (let growth = 0; growth < 3; growth++) {
          const elder = decodeTally(encodeTally(tally));
          tally = new Map(elder);
          for (const key of elder.keys()) addClicks(tally, key, 30_000_000, 30_000_000);
          for (const key of [...longKeys(50).keys(), ...more]) addClicks(tally, `${growth}${key}`, 1, 0);
          const younger = decodeTally(encodeTally(tally));
          expect([...elder.keys()].filter((key) => !younger.has(key))).toEqual([]);
          expect(sumOf(younger)).toEqual(sumOf(tally));
        }
      }),
      { numRuns: 30 },
    );
  });

  test("a range between two floods still adds up", () => {
    const before = many(300);
    const after = decodeTally(encodeTally(new Map([...many(20_500)].reverse())));
    const range: TextTally = new Map();
    addTally(range, after);
    addTally(range, before, -1);
    const buckets = bucketsOf(range, false);
    expect(buckets.every(({ clicks }) => clicks > 0)).toBe(true);
    expect(buckets.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(20_500 - 300);
  });
});

describe("capacity of a stored tally", () => {
  /** Counts the keys that fit: keys of this many letters, with counts of the largest encoded size. */
  const named = (letter: string, letters: number) => {
    const keys = Array.from({ length: 6_000 }, (_, i) => `${i}`.padStart(4, "0") + letter.repeat(letters));
    const stored = decodeTally(encodeTally(new Map(keys.map((key) => [key, { human: 1, nonHuman: 0 }]))));
    return stored.size - 1;
  };

  test("letters of two and three bytes count by their bytes", () => {
    const [one, two, three] = [named("a", 60), named("é", 30), named("東", 20)];
    expect([two, three]).toEqual([one, one]);
    expect([named("\u007f", 60), named("\u0080", 30), named("\u07ff", 30), named("\u0800", 20)]).toEqual([
      one,
      one,
      one,
      one,
    ]);
  });
});

type Numbers = Map<number, { human: number; nonHuman: number }>;

const count = fc.record({ human: fc.nat({ max: 2 ** 40 }), nonHuman: fc.nat({ max: 2 ** 40 }) });
const number = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2 ** 32 - 1 }));
const anyNumbers: fc.Arbitrary<Numbers> = fc
  .array(fc.tuple(number, count), { maxLength: 60 })
  .map((entries) => new Map(entries.filter(([, { human, nonHuman }]) => human + nonHuman > 0)));

function numbersTally(entries: Numbers): Tally {
  const each = [...entries.values()];
  const human = each.map((one) => one.human);
  const nonHuman = each.map((one) => one.nonHuman);
  return addCounts(emptyTally("link"), [...entries.keys()], human, nonHuman);
}

const ascending = (entries: Numbers) =>
  [...entries].sort(([a], [b]) => a - b).map(([value, clicks]) => ({ value, ...clicks }));

describe("14 counts by number", () => {
  test("14 are read as they were stored, in ascending order", () => {
    fc.assert(
      fc.property(anyNumbers, (entries) => {
        expect(countsOf(decodeNumbers(encodeTally(numbersTally(entries))))).toEqual(ascending(entries));
      }),
    );
  });

  test("14 are added up and subtracted exactly; numbers without clicks are omitted", () => {
    fc.assert(
      fc.property(anyNumbers, anyNumbers, (one, other) => {
        const sum: Numbers = new Map(one);
        for (const [key, { human, nonHuman }] of other) {
          const known = sum.get(key) ?? { human: 0, nonHuman: 0 };
          sum.set(key, { human: known.human + human, nonHuman: known.nonHuman + nonHuman });
        }
        const merged = addTally(numbersTally(one), numbersTally(other));
        expect(countsOf(merged)).toEqual(ascending(sum));
        expect(countsOf(addTally(merged, numbersTally(other), -1))).toEqual(ascending(one));
        expect(countsOf(addTally(numbersTally(one), numbersTally(one), -1))).toEqual([]);
      }),
    );
  });

  test("14 take 40 KB for 10,000 links with thousands of clicks each", () => {
    const links: Numbers = new Map(
      Array.from({ length: 10_000 }, (_, link) => [link + 1, { human: 5_000 + link, nonHuman: link % 5 ? 0 : 60 }]),
    );
    expect(encodeTally(numbersTally(links)).length).toBeLessThan(45_000);
    expect(encodeTally(emptyTally("link")).length).toBe(2);
  });

  test("14 of a later format are refused", () => {
    expect(() => decodeNumbers(new Uint8Array([2, 0]))).toThrow("format");
  });
});

test("clicks by address: those by an alias are subtracted from those of its link", () => {
  const links = numberTallyOf([1, 2, 3], [10, 5, 2], [4, 0, 1]);
  // No alias has the number 0: it counts the clicks by the links' own slugs.
  const aliases = numberTallyOf([0, 1, 2, 3], [9, 3, 1, 2], [3, 1, 0, 1]);
  const visited = visitedTally(links, aliases, (alias) => (alias < 3 ? 1 : 3));
  expect(countsOf(visited)).toEqual([
    { value: 2, human: 6, nonHuman: 3 },
    { value: 3, human: 3, nonHuman: 1 },
    { value: 4, human: 5, nonHuman: 0 },
    { value: 5, human: 1, nonHuman: 0 },
    { value: 7, human: 2, nonHuman: 1 },
  ]);
});

test("tallies of a text field and of a number field are never added", () => {
  expect(() => addTally(new Map(), emptyTally("link"))).toThrow("different fields");
  expect(() => addTally(emptyTally("link"), new Map())).toThrow("different fields");
});
