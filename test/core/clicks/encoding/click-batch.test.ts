import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { BatchBuilder } from "../../../../src/core/clicks/encoding/batch-builder.ts";
import {
  clampTimes,
  classAt,
  humanCounts,
  isKnownFormat,
  lastTime,
  type PackedClicks,
  packedCount,
  packVisitTimes,
  unpackColumns,
  unpackTimes,
  unpackVisitTimes,
  valueAt,
} from "../../../../src/core/clicks/encoding/click-batch.ts";
import { BATCH_FORMAT, CLICK_FIELDS } from "../../../../src/core/clicks/encoding/click-formats.ts";
import { mapFacts } from "../../../../src/core/clicks/facts.ts";
import {
  numberAt,
  SPLIT_BYTES,
  VISITOR_BYTES,
  ByteWriter,
} from "../../../../src/core/clicks/encoding/column-encoding.ts";
import { UNKNOWN_SPLIT } from "../../../../src/core/visitors/split.ts";
import { type Click, newClick, packClicks } from "../../../support/pack-clicks.ts";

const BATCH_MAX_CLICKS = 4_096;

const AT = Date.UTC(2026, 10, 21, 9);

const CLICK: Required<Click> = {
  ...mapFacts(() => ""),
  at: AT,
  class: "human",
  country: "DE",
  continent: "EU",
  region: "DE-BE",
  city: "Berlin",
  device: "mobile",
  os: "ios",
  browser: "safari",
  language: "de-DE",
  referrer: "l.instagram.com",
  qr: "",
  rule: "0",
  query: "",
  address: "",
  split: UNKNOWN_SPLIT,
  visitor: 0,
};

function click(facts: Partial<Click> = {}): Required<Click> {
  return { ...CLICK, ...facts };
}

function unpacked(batch: PackedClicks): Click[] {
  const columns = unpackColumns(batch.columns);
  return unpackTimes(batch).map((at, i) => ({
    ...(Object.fromEntries(CLICK_FIELDS.map((field) => [field, valueAt(columns[field], i)])) as unknown as Click),
    at,
    class: classAt(columns.class, i),
    split: columns.splits ? numberAt(columns.splits, SPLIT_BYTES, i) : UNKNOWN_SPLIT,
    visitor: columns.visitors ? numberAt(columns.visitors, VISITOR_BYTES, i) : 0,
  }));
}

function bytesOf({ columns, times }: PackedClicks): number {
  return columns.length + (times?.length ?? 0);
}

/** Anything a header or the edge may contain; a lone surrogate is not text. */
const text = fc.oneof(
  fc.constantFrom("", "DE", "US", "Zürich", "서울", "\u{1F600}", " ", "\t", "\r", "\0", "\ufeff", "null", "0"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const anyClick: fc.Arbitrary<Click> = fc.record({
  at: fc.integer({ min: AT, max: AT + 100_000 }),
  class: fc.constantFrom("human", "bot", "prefetch"),
  ...mapFacts(() => text),
  qr: text,
  rule: text,
  query: text,
  address: text,
  split: fc.oneof(fc.constant(UNKNOWN_SPLIT), fc.nat(UNKNOWN_SPLIT)),
  visitor: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 48 - 1 })),
});
const anyClicks = fc.array(anyClick, { minLength: 1, maxLength: 40 });

test("property: clicks survive a round trip, with line ends replaced and times rising", () => {
  fc.assert(
    fc.property(anyClicks, (clicks) => {
      const batch = packClicks(clicks);
      let last = 0;
      const expected = clicks.map((one) => {
        last = Math.max(last, one.at);
        const facts = Object.entries(one).map(([field, value]) => [
          field,
          typeof value === "string" ? value.split("\n").join(" ") : value,
        ]);
        return { ...Object.fromEntries(facts), at: last } as Click;
      });
      expect(unpacked(batch)).toEqual(expected);
      expect([batch.count, packedCount(batch.columns)]).toEqual([clicks.length, clicks.length]);
      expect([batch.at, lastTime(batch)]).toEqual([expected[0]?.at, last]);
    }),
  );
});

test("property: a column unpacked alone is the same, and the others are unknown", () => {
  fc.assert(
    fc.property(anyClicks, fc.constantFrom(...CLICK_FIELDS), (clicks, field) => {
      const { columns } = packClicks(clicks);
      const alone = unpackColumns(columns, [field]);
      expect(alone[field]).toEqual(unpackColumns(columns)[field]);
      const others = CLICK_FIELDS.filter((other) => other !== field);
      expect(others.map((other) => valueAt(alone[other], 0))).toEqual(others.map(() => ""));
    }),
  );
});

test("property: no time before the floor, all others unchanged", () => {
  fc.assert(
    fc.property(anyClicks, fc.integer({ min: AT - 10, max: AT + 100_010 }), (clicks, floor) => {
      const batch = packClicks(clicks);
      const raised = clampTimes(batch, floor);
      expect(unpackTimes(raised)).toEqual(unpackTimes(batch).map((at) => Math.max(at, floor)));
      expect(raised.at).toBe(Math.max(batch.at, floor));
      expect([raised.count, raised.columns]).toEqual([batch.count, batch.columns]);
    }),
  );
});

describe("values", () => {
  test.each([
    ["line ends", "a\nb\n", "a b "],
    ["a line end alone", "\n", " "],
    ["carriage returns stay", "a\r\nb", "a\r b"],
    ["a byte order mark", "\ufeffx", "\ufeffx"],
    ["nothing", "", ""],
    ["half of a surrogate pair", "a\ud800b", "a\ufffdb"],
  ])("%s", (_name, sent, kept) => {
    for (const field of CLICK_FIELDS.slice(1)) {
      const clicks = [click({ [field]: sent }), click(), click({ [field]: sent })];
      expect(unpacked(packClicks(clicks))).toEqual(
        clicks.map((one, i) => ({ ...one, [field]: i === 1 ? CLICK[field] : kept })),
      );
    }
  });

  test("all of a batch may differ", () => {
    const clicks = Array.from({ length: 300 }, (_, i) => click({ referrer: `h${i}.example`, rule: i % 2 ? "" : "1" }));
    expect(unpacked(packClicks(clicks))).toEqual(clicks);
  });

  test("a full batch survives a round trip", () => {
    const clicks = Array.from({ length: BATCH_MAX_CLICKS }, (_, i) => click({ at: AT + i * 3, city: `c${i % 200}` }));
    const batch = packClicks(clicks);
    expect(unpacked(batch)).toEqual(clicks);
    expect(bytesOf(batch)).toBeLessThan(2_000_000);
  });
});

describe("the stored bytes, which must stay readable permanently", () => {
  const ascii = (text: string) => [...new TextEncoder().encode(text)];
  const nothing = {
    ...(Object.fromEntries(CLICK_FIELDS.map((field) => [field, ""])) as unknown as Click),
    split: UNKNOWN_SPLIT,
    visitor: 0,
  };

  test("of a single click", () => {
    const { columns } = packClicks([click({ class: "prefetch" })]);
    const values = "p\nDE\nEU\nDE-BE\nBerlin\nmobile\nios\nsafari\nde-DE\nl.instagram.com\n\n0";
    expect([...columns]).toEqual([BATCH_FORMAT, 1, 12 * 4, ...Array<number>(12).fill(1), ...ascii(values)]);
  });

  test("of clicks that differ in one field", () => {
    const clicks = ["human", "bot", "human"].map((of) => ({ ...nothing, at: AT, class: of as Click["class"] }));
    const { columns } = packClicks(clicks);
    expect([...columns]).toEqual([BATCH_FORMAT, 3, 1 * 4, 2, 0b010, ...ascii("h\nb")]);
  });

  test("of unknown facts", () => {
    const builder = new BatchBuilder();
    const visit = { ...mapFacts(() => null), at: AT, class: "bot", split: UNKNOWN_SPLIT } as const;
    builder.add({ visit, rule: null, qr: null, query: "", visitor: 0 });
    expect([...builder.pack().columns]).toEqual([BATCH_FORMAT, 1, 1 * 4, 1, ...ascii("b")]);
  });

  test("of a click with a UTM parameter", () => {
    const { columns } = packClicks([{ ...nothing, at: AT, class: "human", utm_medium: "email" }]);
    const columnsOf = Array<number>(14).fill(1);
    expect([...columns]).toEqual([BATCH_FORMAT, 1, 14 * 4, ...columnsOf, ...ascii(`h${"\n".repeat(13)}email`)]);
  });

  test("of clicks, one of which has a UTM parameter", () => {
    const clicks = [{}, { utm_content: "a" }].map((facts) => ({
      ...nothing,
      at: AT,
      class: "human" as const,
      ...facts,
    }));
    const { columns } = packClicks(clicks);
    expect([...columns]).toEqual([
      BATCH_FORMAT,
      2,
      17 * 4,
      ...Array<number>(16).fill(1),
      2,
      0b10,
      ...ascii(`h${"\n".repeat(17)}a`),
    ]);
  });

  test("of a click with a place in splits: without the fields after the last known one", () => {
    const { columns } = packClicks([click({ split: 0x1234 })]);
    const values = "h\nDE\nEU\nDE-BE\nBerlin\nmobile\nios\nsafari\nde-DE\nl.instagram.com\n\n0";
    const columnsOf = Array<number>(12).fill(1);
    expect([...columns]).toEqual([BATCH_FORMAT, 1, 12 * 4 + 1, 0x34, 0x12, ...columnsOf, ...ascii(values)]);
  });

  test("of clicks, one with a visitor and one with a query condition that held", () => {
    const facts = [{ visitor: 0x0605_0403_0201 }, { query: "5" }];
    const { columns } = packClicks(facts.map((one) => ({ ...nothing, at: AT, class: "human", ...one })));
    const visitors = [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0];
    const columnsOf = [...Array<number>(17).fill(1), 2, 0b10];
    const texts = ascii(`h${"\n".repeat(17)}\n5`);
    expect([...columns]).toEqual([BATCH_FORMAT, 2, 18 * 4 + 2, ...visitors, ...columnsOf, ...texts]);
  });

  test("of no click", () => {
    const { at, count, times, columns } = new BatchBuilder().pack();
    expect({ at, count, times, columns: [...columns] }).toEqual({
      at: 0,
      count: 0,
      times: null,
      columns: [BATCH_FORMAT, 0, 0],
    });
  });

  test.each([
    [0, false],
    [1, true],
    [BATCH_FORMAT + 1, false],
    [128, false],
  ])("format %i is known: %s", (format, isKnown) => {
    const writer = new ByteWriter();
    writer.varint(format);
    const batch = { ...packClicks([click()]), columns: writer.toBytes() };
    expect(isKnownFormat(batch)).toBe(isKnown);
    if (!isKnown) expect(() => unpackColumns(batch.columns)).toThrow("a batch of clicks has an unknown format");
  });

  test.each([
    [128, false],
    [129, true],
    [256, true],
    [257, false],
  ])("indexes of %i values are read without a copy: %s", (count, isView) => {
    const clicks = Array.from({ length: count }, (_, i) => click({ city: `c${i}` }));
    const { columns } = packClicks(clicks);
    const { indexes } = unpackColumns(columns).city;
    expect(indexes instanceof Uint8Array && indexes.buffer === columns.buffer).toBe(isView);
  });
});

test("human clicks are counted by class", () => {
  const clicks = (["human", "bot", "prefetch", "human"] as const).map((of) => click({ class: of }));
  const { counts, indexes } = humanCounts(unpackColumns(packClicks(clicks).columns).class);
  expect({ counts, indexes: Array.from(indexes ?? []) }).toEqual({ counts: [1, 0, 0], indexes: [0, 1, 2, 0] });
  expect(humanCounts(unpackColumns(packClicks([click()]).columns).class)).toEqual({ counts: [1], indexes: null });
  expect(humanCounts(unpackColumns(packClicks([click({ class: "bot" })]).columns).class)).toMatchObject({
    counts: [0],
  });
});

describe("memory of a growing batch", () => {
  // Each value once, 60 bytes, and its characters and one more, two bytes each; 12 bytes for a time, an index or a
  // number.
  const FIELDS = CLICK_FIELDS.length;
  const CHARS = "hDEEUDE-BEBerlinmobileiossafaride-DEl.instagram.com0".length + FIELDS;

  test.each<[string, Partial<Click>[], number]>([
    ["no click", [], 600],
    ["one", [{}], 600 + FIELDS * 60 + 2 * CHARS + 12],
    ["three equal ones", [{}, {}, {}], 600 + FIELDS * 60 + 2 * CHARS + 3 * 12],
    ["a place in splits", [{}, { split: 7 }], 600 + FIELDS * 60 + 2 * CHARS + 2 * 2 * 12],
    ["a place and a visitor", [{}, { split: 7, visitor: 9 }], 600 + FIELDS * 60 + 2 * CHARS + 3 * 2 * 12],
    ["another city", [{}, { city: "Ulm" }], 600 + (FIELDS + 1) * 60 + 2 * (CHARS + 4) + 350 + 2 * 2 * 12],
    ["the same again", [{}, { city: "Ulm" }, {}], 600 + (FIELDS + 1) * 60 + 2 * (CHARS + 4) + 350 + 2 * 3 * 12],
    [
      "three cities and two countries",
      [{}, { city: "Ulm" }, { city: "Bonn", country: "AT" }],
      600 + (FIELDS + 3) * 60 + 2 * (CHARS + 4 + 5 + 3) + 2 * 350 + 3 * 3 * 12,
    ],
  ])("%s", (_name, clicks, bytes) => {
    const builder = new BatchBuilder();
    for (const facts of clicks) builder.add(newClick(click(facts)));
    expect([builder.bytes, builder.count]).toEqual([bytes, clicks.length]);
  });
});

describe("a full batch", () => {
  test.each<[string, (i: number) => Partial<Click>, number]>([
    ["of ordinary clicks", (i) => ({ city: `c${i % 200}` }), BATCH_MAX_CLICKS],
    [
      "of long values that are all different",
      (i) => ({ referrer: `${i}`.padEnd(253, "r"), city: `${i}`.padEnd(100, "東") }),
      247,
    ],
    ["of two alternating long values", (i) => ({ city: (i % 2 ? "東" : "京").repeat(100) }), BATCH_MAX_CLICKS],
    ["of one long value", () => ({ city: "東".repeat(100) }), BATCH_MAX_CLICKS],
  ])("%s is less than half a megabyte", (_name, factsOf, count) => {
    const builder = new BatchBuilder();
    for (let i = 0; !builder.isFull; i++) builder.add(newClick(click({ at: AT + i * 200_000, ...factsOf(i) })));
    expect(builder.count).toBe(count);
    expect(bytesOf(builder.pack())).toBeLessThan(500_000);
  });
});

describe("7 times never decrease", () => {
  test.each([
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
    [
      [5, 3, 9, 1],
      [5, 5, 9, 9],
    ],
    [
      [0, 86_400_000_000],
      [0, 86_400_000_000],
    ],
    [[7], [7]],
  ])("%j is %j", (sent, kept) => {
    const batch = packClicks(sent.map((ms) => click({ at: AT + ms })));
    expect(unpackTimes(batch)).toEqual(kept.map((ms) => AT + ms));
    expect(lastTime(batch)).toBe(AT + (kept.at(-1) ?? 0));
  });

  test("clicks of one instant need no bytes for their times", () => {
    expect(packClicks([click(), click()]).times).toBeNull();
    expect(clampTimes(packClicks([click(), click({ at: AT + 5 })]), AT + 5)).toMatchObject({ at: AT + 5, times: null });
  });

  test("a batch after the floor is unchanged", () => {
    const batch = packClicks([click(), click({ at: AT + 5 })]);
    expect(clampTimes(batch, AT)).toBe(batch);
  });
});

test("times before they were raised survive a round trip", () => {
  fc.assert(
    fc.property(anyClicks, fc.integer({ min: AT, max: AT + 100_010 }), (clicks, floor) => {
      const batch = packClicks(clicks);
      const raised = clampTimes(batch, floor);
      expect(unpackVisitTimes(raised, packVisitTimes(batch, raised))).toEqual(unpackTimes(batch));
    }),
  );
});

describe("size", () => {
  test.each([
    ["typical", {}],
    [
      "long names",
      { region: "US-CA", city: "San Francisco", referrer: "app:com.google.android.gm", language: "zh-Hant-TW" },
    ],
    ["unknown", { region: "", city: "", continent: "", language: "", referrer: "" }],
  ])("a single click takes at most 100 bytes: %s", (_name, facts) => {
    expect(bytesOf(packClicks([click({ ...facts, split: 1, visitor: 2 ** 47 })]))).toBeLessThanOrEqual(110);
    expect(bytesOf(packClicks([click(facts)]))).toBeLessThanOrEqual(100);
  });

  test("one of a batch of fifty takes at most 40 bytes", () => {
    const cities = ["Berlin", "Hamburg", "München", "Köln", "Wien", "Zürich", "Paris", "Lyon", "New York", "Austin"];
    const referrers = [
      "",
      "l.instagram.com",
      "t.co",
      "google.com",
      "app:com.google.android.gm",
      "news.ycombinator.com",
    ];
    const clicks = Array.from({ length: 50 }, (_, i) =>
      click({
        at: AT + i * 137,
        class: i % 11 === 0 ? "bot" : "human",
        country: ["DE", "AT", "CH", "FR", "US"][i % 5] ?? "",
        region: `DE-${i % 16}`,
        city: `${cities[i % 10]}${i % 3}`,
        device: ["mobile", "desktop", "tablet"][i % 3] ?? "",
        os: ["ios", "android", "windows", "macos"][i % 4] ?? "",
        browser: ["safari", "chrome", "edge"][i % 3] ?? "",
        language: ["de-DE", "de-AT", "fr-FR", "en-US"][i % 4] ?? "",
        referrer: referrers[i % 6] ?? "",
        rule: ["0", "1", ""][i % 3] ?? "",
      }),
    );
    const bytes = bytesOf(packClicks(clicks));
    expect(bytes / 50).toBeLessThanOrEqual(40);
    const numbered = clicks.map((one, i) => ({ ...one, split: i * 1_000 }));
    expect(bytesOf(packClicks(numbered)) / 50).toBeLessThanOrEqual(40);
    const unique = numbered.map((one, i) => ({ ...one, visitor: 2 ** 47 + i }));
    expect((bytesOf(packClicks(unique)) - bytesOf(packClicks(numbered))) / 50).toBeLessThanOrEqual(6);
  });
});
