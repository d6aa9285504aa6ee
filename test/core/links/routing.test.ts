import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";

import { routeKeys } from "../../../src/core/links/link-snapshot.ts";
import {
  canonicalText,
  chooseDestination,
  failedOn,
  isExpired,
  type RuleCondition,
  testsTime,
  traceRules,
} from "../../../src/core/links/routing.ts";
import type { PlainCondition } from "../../../src/core/links/conditions.ts";
import { unreachableRuleProblems } from "../../../src/core/links/link-validation.ts";
import type { Visitor } from "../../../src/core/visitors/visitor.ts";
import { parsedCondition, visitor, type VisitorFacts } from "../visitors/visitors.ts";
import { requestVisitor } from "../../support/request-visitor.ts";

const URL_ELSE = "https://example.com/";

function link(conditions: RuleCondition[], expiresAt: number | null = null) {
  return {
    url: URL_ELSE,
    routing: conditions.map((condition, i) => ({ if: condition, to: `https://example.com/${i}` })),
    expiresAt,
  };
}

describe("2.2 the first rule that matches wins", () => {
  const rules = link([
    { country: "DE", device: "mobile" },
    { country: ["DE", "AT"] },
    { language: "fr", not: { country: "US" } },
    { country: "DE" },
  ]);

  test.each([
    [{ country: "DE", device: "mobile" }, 0],
    [{ country: "DE", device: "desktop" }, 1],
    [{ country: "AT", language: "fr" }, 1],
    [{ country: "CA", language: "fr-CA" }, 2],
    [{ country: "US", language: "fr" }, -1],
    [{}, -1],
  ] as const)("%j is sent by rule %i", (facts, rule) => {
    const url = rule < 0 ? URL_ELSE : `https://example.com/${rule}`;
    expect(chooseDestination(rules, visitor(facts))).toEqual({ kind: "redirect", url, rule });
  });

  test("without rules every visitor goes to the link's url", () => {
    expect(chooseDestination(link([]), visitor())).toEqual({ kind: "redirect", url: URL_ELSE, rule: -1 });
  });

  test("destinations are returned exactly as stored", () => {
    const odd = { url: "HTTPS://Example.com:443/ü?q=%zz#x", routing: [], expiresAt: null };
    expect(chooseDestination(odd, visitor())).toMatchObject({ url: odd.url });
  });
});

describe("rules from a later release, with conditions unknown to this one", () => {
  const later = (condition: object) => condition as RuleCondition;

  test.each([
    ["alone", { moon: "full" }],
    ["next to one that holds", { country: "DE", moon: "full" }],
    ["in a not", { country: "DE", not: { moon: "full" } }],
    ["named like a member that every object has", { constructor: "x" }],
  ])("never match: %s", (_name, condition) => {
    const rules = link([later(condition), { country: "DE" }]);
    expect(chooseDestination(rules, visitor({ country: "DE" }))).toMatchObject({ rule: 1 });
  });

  test("are distinguished in statistics, and the dry run names the key", () => {
    expect(canonicalText(later({ country: "DE", moon: "full" }))).toBe('country=DE&moon="full"');
    const [step] = traceRules(link([later({ moon: "full" })]), visitor({}));
    expect(step).toEqual({ rule: 'moon="full"', matched: false, failed_on: "moon" });
  });
});

describe("6 expiry comes before the rules", () => {
  const instant = Date.UTC(2026, 0, 31, 12);

  test.each([
    [-1, "redirect"],
    [0, "expired"],
    [1, "expired"],
  ])("4 a click %i ms after expires_at: %s", (late, kind) => {
    const expiring = link([{ country: "DE" }], instant);
    expect(chooseDestination(expiring, visitor({ country: "DE", at: instant + late })).kind).toBe(kind);
    expect(chooseDestination(expiring, visitor({ country: "FR", at: instant + late })).kind).toBe(kind);
    expect(isExpired(expiring, instant + late)).toBe(kind === "expired");
  });

  test("a link without expiry never expires", () => {
    expect(isExpired({ expiresAt: null }, 8.64e15)).toBe(false);
  });

  test("expires_at at the epoch is a valid expiry", () => {
    expect(isExpired({ expiresAt: 0 }, 0)).toBe(true);
    expect(isExpired({ expiresAt: 0 }, -1)).toBe(false);
  });
});

test.each<[RuleCondition[], boolean]>([
  [[], false],
  [[{ country: "DE", not: { device: "mobile" } }], false],
  [[{ country: "DE" }, { after: "2026-01-01T00:00:00.000Z" }], true],
  [[{ before: "2026-01-01T00:00:00.000Z" }], true],
  [[{ time: { tz: "UTC", days: ["sun"] } }], true],
  [[{ not: { time: { tz: "UTC", days: ["sun"] } } }], true],
])("rules with %j test the time of a visit: %s", (conditions, expected) => {
  expect(testsTime(link(conditions))).toBe(expected);
});

describe("7 canonical text", () => {
  test.each([
    [{ country: "DE" }, "country=DE"],
    [{ device: "mobile", country: ["DE", "AT"] }, "country=AT,DE&device=mobile"],
    [{ not: { country: "US" }, language: "fr" }, "language=fr&not(country=US)"],
    [{ not: { device: "mobile", country: ["US", "CA"] } }, "not(country=CA,US&device=mobile)"],
    [{ not: { os: "ios" }, source: "qr", percent: 50, time: { tz: "UTC", days: ["sun"] } }, null],
  ])("%j: %s", (condition, text) => {
    const actual = canonicalText(parsedCondition(condition));
    if (text !== null) expect(actual).toBe(text);
    else expect(actual).toBe("percent=50&source=qr&time(days=sun&tz=UTC)&not(os=ios)");
  });

  test.each([
    [{ city: "a,b" }, { city: ["a", "b"] }],
    [{ city: "a%2Cb" }, { city: "a,b" }],
    [{ city: "a&device=mobile" }, { city: "a", device: "mobile" }],
    [{ query: { "a=b": true } }, { query: { a: "b" } }],
    [{ query: { "a&b": true } }, { query: { a: true, b: true } }],
    [{ query: { "a)&(": true } }, { query: { "a%29%26%28": true } }],
    [{ query: { a: "" } }, { query: { a: true } }],
    [{ query: { a: ["", "b"] } }, { query: { a: "b" } }],
    [{ country: "DE", not: { os: "ios" } }, { not: { country: "DE", os: "ios" } }],
    [{ percent: 1 }, { percent: 10 }],
    [{ after: "2026-01-01T00:00:00Z" }, { before: "2026-01-01T00:00:00Z" }],
  ])("distinguishes %j from %j", (one, other) => {
    expect(canonicalText(parsedCondition(one))).not.toBe(canonicalText(parsedCondition(other)));
  });

  test("is the rule that a click is counted under, `default` when none matched", () => {
    const rules = link([{ country: ["DE", "AT"] }]);
    expect(routeKeys(rules, "0")).toEqual({ rule: "country=AT,DE", destination: "https://example.com/0" });
    expect(routeKeys(rules, "")).toEqual({ rule: "default", destination: URL_ELSE });
  });
});

describe("5 rules that can never match", () => {
  function found(conditions: unknown[]): string[] {
    return unreachableRuleProblems(
      conditions.map((condition, index) => ({ index, if: parsedCondition(condition) })),
    ).map(({ path }) => path);
  }

  test.each([
    ["the same condition", [{ country: "DE" }, { country: "DE" }], ["routing.1"]],
    ["in another case", [{ country: "de" }, { country: "AT" }, { country: ["DE"] }], ["routing.2"]],
    ["in another order", [{ country: ["DE", "AT"] }, { country: ["AT", "DE", "AT"] }], ["routing.1"]],
    [
      "keys in another order",
      [
        { country: "DE", device: "mobile" },
        { device: "mobile", country: "DE" },
      ],
      ["routing.1"],
    ],
    ["each repetition", [{ os: "ios" }, { os: "ios" }, { os: "ios" }], ["routing.1", "routing.2"]],
    ["the same `not`", [{ not: { os: "ios" } }, { not: { os: ["ios", "ios"] } }], ["routing.1"]],
    [
      "the same window",
      [{ time: { tz: "utc", from: "00:00", to: "08:00" } }, { time: { tz: "UTC", to: "08:00" } }],
      ["routing.1"],
    ],
    ["the same city", [{ city: "Berlin" }, { city: "BERLIN" }], ["routing.1"]],
    ["less of the same split", [{ percent: 60 }, { percent: 30 }], ["routing.1"]],
    ["the same share of it", [{ percent: 60 }, { percent: 60 }], ["routing.1"]],
    ["more of it", [{ percent: 30 }, { percent: 60 }, { percent: 100 }], []],
    ["less than the widest", [{ percent: 30 }, { percent: 60 }, { percent: 45 }], ["routing.2"]],
    [
      "less of it under the same conditions",
      [
        { percent: 60, country: ["DE", "AT"], not: { os: "ios" } },
        { not: { os: "ios" }, country: ["at", "de"], percent: 10 },
      ],
      ["routing.1"],
    ],
    ["less of it under others", [{ percent: 60, country: "DE" }, { percent: 30, country: "AT" }, { percent: 30 }], []],
    ["a split after a rule for all its visitors", [{ country: "DE" }, { country: "DE", percent: 50 }], ["routing.1"]],
    ["all visitors after a split: some have no place in it", [{ country: "DE", percent: 100 }, { country: "DE" }], []],
    ["no visitor", [{ percent: 0 }, { percent: 0.1 }, { percent: 0, country: "DE" }], ["routing.2"]],
    ["no visitor in a `not`", [{ not: { percent: 0 } }, { not: { percent: 50 } }], []],
    ["the same city in another Unicode form", [{ city: "Zu\u0308rich" }, { city: "ZÜRICH" }], ["routing.1"]],
    ["a wider condition later", [{ country: "DE" }, { country: ["DE", "AT"] }], []],
    ["a narrower one later", [{ country: "DE" }, { country: "DE", os: "ios" }], ["routing.1"]],
    ["fewer values later", [{ country: ["DE", "AT"] }, { country: "AT" }, { country: ["DE", "US"] }], ["routing.1"]],
    ["fewer values and a `not`", [{ city: ["Berlin", "Wien"] }, { city: "wien", not: { os: "ios" } }], ["routing.1"]],
    ["a key less later", [{ country: "DE", os: "ios" }, { country: "DE" }, { os: "ios" }], []],
    ["a `not` with fewer values", [{ not: { os: ["ios", "macos"] } }, { not: { os: "ios" } }], []],
    ["the same `not` and more", [{ not: { os: "ios" } }, { country: "DE", not: { os: ["ios"] } }], ["routing.1"]],
    ["another key's values", [{ utm_source: ["a", "b"] }, { utm_medium: "a" }], []],
    ["a longer tag or a subdomain", [{ language: "de" }, { language: "de-CH" }], []],
    ["fewer values of a parameter", [{ query: { a: ["1", "2"] } }, { query: { a: "1" } }], []],
    [
      "the same window, split and period, and more",
      [
        { after: "2026-01-01T00:00:00Z", percent: 30, time: { tz: "UTC", days: ["sat", "sun"] } },
        { after: "2026-01-01T01:00:00+01:00", percent: 30, time: { tz: "UTC", days: ["sun", "sat"] }, os: "ios" },
        { after: "2026-01-02T00:00:00Z", percent: 30, time: { tz: "UTC", days: ["sat", "sun"] }, os: "ios" },
        { after: "2026-01-01T00:00:00Z", percent: 30, time: { tz: "UTC", days: ["sat"] }, os: "ios" },
        { after: "2026-01-01T00:00:00Z", percent: 20, time: { tz: "UTC", days: ["sat", "sun"] }, os: "ios" },
      ],
      ["routing.1"],
    ],
    ["two that cover it only together", [{ country: "DE" }, { country: "AT" }, { country: ["DE", "AT"] }], []],
    ["the opposite", [{ os: "ios" }, { not: { os: "ios" } }], []],
    ["values that look like two", [{ city: "a,b" }, { city: ["a", "b"] }], []],
    ["any value and no value", [{ query: { a: true } }, { query: { a: "" } }], []],
  ])("%s", (_name, conditions, paths) => {
    expect(found(conditions)).toEqual(paths);
  });

  test("the problem names both rules", () => {
    const rules = [
      { index: 3, if: { country: "DE" } },
      { index: 7, if: { country: ["DE"] } },
    ];
    expect(unreachableRuleProblems(rules)).toEqual([
      {
        path: "routing.7",
        code: "unreachable_rule",
        message: "routing.7 can never match: routing.3 has the same condition (country=DE) and comes first",
      },
    ]);
  });

  test("the problem of a covered rule names the first that covers it, and begins its condition", () => {
    const campaigns = Array.from({ length: 100 }, (_, i) => `campaign-${i}`);
    const rules = [{ os: "ios" }, { utm_campaign: campaigns }, { utm_campaign: "campaign-7" }] as const;
    const problems = unreachableRuleProblems(
      rules.map((rule, index) => ({ index, if: parsedCondition({ ...rule, country: "DE" }) })),
    );
    const shown = "country=DE&utm_campaign=campaign-0,campaign-1,campaign-10,";
    expect(problems.map(({ path }) => path)).toEqual(["routing.2"]);
    expect(problems[0]?.message).toMatch(`routing.2 can never match: routing.1 matches all of its visitors (${shown}`);
    expect(problems[0]?.message).toMatch(/^.{255,275}…\) and comes first$/);
  });

  test("names splits", () => {
    const rules = [{ percent: 0 }, { country: "DE", percent: 60 }, { country: "DE", percent: 30 }];
    expect(
      unreachableRuleProblems(rules.map((rule, index) => ({ index, if: rule }))).map(({ message }) => message),
    ).toEqual([
      "routing.2 can never match: routing.1 matches all of its visitors (country=DE&percent=60) and comes first",
    ]);
  });
});

describe("4 the dry run reports each rule that was tried", () => {
  const rules = link([{ country: "AT" }, { country: "DE", not: { os: "ios" } }, { country: "DE" }, { percent: 100 }]);

  test("up to the one that matched, with the reason why the others failed", () => {
    expect(traceRules(rules, visitor({ country: "DE", os: "ios" }))).toEqual([
      { rule: "country=AT", matched: false, failed_on: "country" },
      { rule: "country=DE&not(os=ios)", matched: false, failed_on: "not" },
      { rule: "country=DE", matched: true, failed_on: null },
    ]);
  });

  test("all of them when none matches", () => {
    expect(traceRules(rules, visitor({ country: "FR" })).map(({ failed_on }) => failed_on)).toEqual([
      "country",
      "country",
      "country",
      "percent",
    ]);
  });
});

// ---- Properties. The worlds are small, so that matches, repetitions and near misses are frequent.

const COUNTRY = fc.constantFrom("DE", "AT", "US");
const DEVICE = fc.constantFrom("mobile", "tablet", "desktop", "other");
const CITY = fc.constantFrom("Berlin", "berlin", "Berlin,Wien", "Wien", "a&b=c", "(x)", "%2C");
const LANGUAGE = fc.constantFrom("de", "de-CH", "fr", "fr-CA");
const HOST = fc.constantFrom("example.com", "m.example.com", "example.org");
const TEXT = fc.constantFrom("", "1", "1,2", "2", "a=b", "a&b");
const INSTANT = fc.integer({ min: 0, max: 3 }).map((day) => Date.UTC(2026, 0, 1 + day));

function oneOrMany<T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> {
  return fc.oneof(one, fc.array(one, { minLength: 1, maxLength: 4 }));
}

const plainCondition: fc.Arbitrary<PlainCondition> = fc
  .record(
    {
      after: INSTANT.map((at) => new Date(at).toISOString()),
      before: INSTANT.map((at) => new Date(at).toISOString()),
      city: oneOrMany(CITY),
      country: oneOrMany(COUNTRY),
      device: oneOrMany(DEVICE),
      language: oneOrMany(LANGUAGE),
      percent: fc.constantFrom(0, 25, 50, 100),
      query: fc.dictionary(fc.constantFrom("a", "b", "a=1"), fc.oneof(fc.constant(true as const), oneOrMany(TEXT)), {
        minKeys: 1,
        noNullPrototype: true,
      }),
      referrer: oneOrMany(HOST),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((condition) => Object.keys(condition).length > 0);

const condition: fc.Arbitrary<RuleCondition> = fc.oneof(
  plainCondition,
  plainCondition.map((not) => ({ not })),
  fc.tuple(plainCondition, plainCondition).map(([plain, not]) => ({ ...plain, not })),
);

const SEARCH = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "a=1"), TEXT), { maxLength: 3 })
  .map((pairs) => new URLSearchParams(pairs).toString());

const knownVisitor: fc.Arbitrary<Visitor> = fc
  .record({
    country: COUNTRY,
    city: CITY,
    device: DEVICE,
    language: LANGUAGE,
    referrer: HOST,
    search: SEARCH,
    at: INSTANT,
    point: fc.constantFrom(0, 24, 25, 49, 99),
  } as const)
  .map((facts) => visitor(facts as VisitorFacts));

const anyVisitor: fc.Arbitrary<Visitor> = fc
  .tuple(knownVisitor, fc.subarray(["city", "language", "referrer", "point"] as const))
  .map(([known, unknown]) => ({ ...known, ...Object.fromEntries(unknown.map((fact) => [fact, null])) }));

/** Implements the rules of section 5 again, without the code under test. */
function naivelyHolds(wanted: PlainCondition, who: Visitor): boolean {
  const anyIs = (values: string | string[] | undefined, test: (value: string) => boolean) =>
    values === undefined || [values].flat().some(test);
  const sent = [...who.query].flatMap(([name, values]) => [...values].map((value) => ({ name, value })));
  return (
    anyIs(wanted.country, (value) => value === who.country) &&
    anyIs(wanted.device, (value) => value === who.device) &&
    anyIs(wanted.city, (value) => value.toUpperCase() === who.city?.toUpperCase()) &&
    anyIs(wanted.language, (value) => `${who.language}-`.startsWith(`${value}-`)) &&
    anyIs(wanted.referrer, (value) => `.${who.referrer}`.endsWith(`.${value}`)) &&
    (wanted.percent === undefined || (who.splitPoint ?? Infinity) < wanted.percent) &&
    (wanted.after === undefined || new Date(who.at) >= new Date(wanted.after)) &&
    (wanted.before === undefined || new Date(who.at) < new Date(wanted.before)) &&
    Object.entries(wanted.query ?? {}).every(([name, value]) =>
      sent.some((one) => one.name === name && (value === true || [value].flat().includes(one.value))),
    )
  );
}

function naiveRule(conditions: RuleCondition[], who: Visitor): number {
  return conditions.findIndex(
    ({ not, ...plain }) => naivelyHolds(plain, who) && !(not !== undefined && naivelyHolds(not, who)),
  );
}

test("2.2 property: the chosen rule is the first that a naive implementation chooses", () => {
  const hits = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 8 }), anyVisitor, (conditions, who) => {
      const rule = naiveRule(conditions, who);
      const outcome = rule < 0 ? "none" : rule === 0 ? "first" : "later";
      hits.set(outcome, (hits.get(outcome) ?? 0) + 1);
      const url = rule < 0 ? URL_ELSE : `https://example.com/${rule}`;
      expect(chooseDestination(link(conditions), who)).toEqual({ kind: "redirect", url, rule });
    }),
  );
  for (const outcome of ["none", "first", "later"]) expect(hits.get(outcome) ?? 0).toBeGreaterThan(5);
});

test("5 property: `not` is the exact complement", () => {
  fc.assert(
    fc.property(plainCondition, anyVisitor, (plain, who) => {
      expect(failedOn({ not: plain }, who) === null).toBe(failedOn(plain, who) !== null);
    }),
  );
});

test("4 property: the dry run and the redirect agree", () => {
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 6 }), anyVisitor, (conditions, who) => {
      const steps = traceRules(link(conditions), who);
      const decision = chooseDestination(link(conditions), who);
      expect(decision).toHaveProperty(
        "rule",
        steps.findIndex(({ matched }) => matched),
      );
      expect(steps.filter(({ matched }) => matched).length).toBeLessThanOrEqual(1);
      for (const { matched, failed_on } of steps) expect(failed_on === null).toBe(matched);
    }),
  );
});

/** The same condition in another form: keys reversed, values reversed and repeated. */
function reworded<T extends object>(wanted: T): T {
  const entries = Object.entries(wanted).map(([key, value]): [string, unknown] => {
    if (Array.isArray(value)) return [key, [...value.toReversed(), value[0]]];
    if (typeof value === "object" && value !== null) return [key, reworded(value)];
    return [key, typeof value === "string" && key !== "after" && key !== "before" ? [value, value] : value];
  });
  return Object.fromEntries(entries.toReversed()) as T;
}

/** The meaning of a condition, regardless of the order and number of its words. */
function meaning(value: unknown, key = ""): unknown {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .map(([name, inner]) => [name, meaning(inner, name)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  }
  if (typeof value !== "string" && !Array.isArray(value)) return value;
  const words = [value].flat().map((word: string) => (key === "city" ? word.toLowerCase() : word));
  return [...new Set(words)].sort();
}

test("7 property: the canonical text does not depend on order or repetition", () => {
  fc.assert(
    fc.property(condition, (wanted) => {
      expect(canonicalText(reworded(wanted))).toBe(canonicalText(wanted));
    }),
  );
});

test("7 property: conditions have the same canonical text only if they mean the same", () => {
  const anyText = fc.string({
    minLength: 1,
    maxLength: 4,
    unit: fc.constantFrom("a", ",", "=", "&", "(", ")", "%", "2"),
  });
  const tricky: fc.Arbitrary<RuleCondition> = fc.record(
    {
      city: oneOrMany(anyText),
      query: fc.dictionary(anyText, fc.oneof(fc.constant(true as const), oneOrMany(anyText)), {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const texts = new Map<string, string>();
  fc.assert(
    fc.property(fc.oneof(condition, tricky), (wanted) => {
      const text = canonicalText(wanted);
      const means = JSON.stringify(meaning(wanted));
      expect(texts.get(text) ?? means).toBe(means);
      texts.set(text, means);
    }),
  );
});

function withoutPercent({ ...condition }: RuleCondition): RuleCondition {
  delete condition.percent;
  return condition;
}

const LISTS = new Set(["city", "country", "device", "language", "referrer"]);

/** Compares each pair of keys, without the code under test. */
function naivelyCovers(earlier: RuleCondition, later: RuleCondition): boolean {
  const laterValues = new Map(Object.entries(later));
  return Object.entries(earlier).every(([key, values]) => {
    const [more, fewer] = [meaning(values, key), meaning(laterValues.get(key), key)];
    if (!LISTS.has(key)) return JSON.stringify(more) === JSON.stringify(fewer);
    return [fewer].flat().every((value) => [more].flat().includes(value));
  });
}

/** A condition that the given one covers: with fewer values, and more keys. */
function narrowed(wanted: RuleCondition, extra: PlainCondition): RuleCondition {
  const fewer = Object.entries(wanted).map(([key, value]) => [key, Array.isArray(value) ? value.slice(-1) : value]);
  return { ...extra, ...Object.fromEntries(fewer) };
}

test("5 property: without splits, exactly the rules that an earlier one covers are unreachable", () => {
  const again = fc.array(fc.tuple(fc.nat(5), fc.option(plainCondition)), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 6 }), again, (splits, later) => {
      const fresh = splits.map(withoutPercent);
      const covered = later.flatMap(([i, extra]) => {
        const one = fresh[i];
        return one ? [extra ? narrowed(one, withoutPercent(extra)) : reworded(one)] : [];
      });
      const rules = [...fresh, ...covered];
      const late = rules.flatMap((rule, i) =>
        rules.slice(0, i).some((earlier) => naivelyCovers(earlier, rule)) ? [`routing.${i}`] : [],
      );
      expect(late.length).toBeGreaterThanOrEqual(covered.length);
      const problems = unreachableRuleProblems(rules.map((rule, index) => ({ index, if: rule })));
      expect(problems.map(({ path }) => path)).toEqual(late);
    }),
  );
});

test("5 property: no visitor gets a rule that is reported as unreachable", () => {
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(100)),
      plainCondition,
      anyVisitor,
      (some, percents, extra, who) => {
        const splits = percents.flatMap((percent) => some.map((one) => ({ ...one, percent })));
        const rules = [...some, ...splits, ...some.map((one) => narrowed(one, extra))];
        const found = new Set(
          unreachableRuleProblems(rules.map((rule, index) => ({ index, if: rule }))).map(({ path }) => path),
        );
        const decision = chooseDestination(link(rules), who);
        expect(decision.kind === "redirect" && found.has(`routing.${decision.rule}`)).toBe(false);
      },
    ),
  );
});

test("5 property: no visitor gets a repeated rule", () => {
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), anyVisitor, (fresh, who) => {
      const rules = [...fresh, ...fresh.map(reworded)];
      const decision = chooseDestination(link(rules), who);
      expect(decision.kind === "redirect" && decision.rule < fresh.length).toBe(true);
    }),
  );
});

describe("5 cost of a visit", () => {
  /** As long as the edge allows. */
  const LONGEST_QUERY = Array.from({ length: 3_500 }, (_, i) => `a=${i % 10}`).join("&");
  const RULES_MAX_BYTES = 64 * 1024;
  const TRIES = 15;

  function decideFor(to: ReturnType<typeof link>, search: string): void {
    const headers = { "cf-connecting-ip": "192.0.2.7" };
    chooseDestination(to, requestVisitor({ headers, geography: { country: "DE" }, search }));
  }

  /** The best of several runs, in ms. */
  function cost(to: ReturnType<typeof link>, search: string): number {
    const times = Array.from({ length: TRIES }, () => {
      const startedAt = performance.now();
      decideFor(to, search);
      return performance.now() - startedAt;
    });
    return Math.min(...times);
  }

  const hundred = (conditionOf: (i: number) => RuleCondition) =>
    link(Array.from({ length: 100 }, (_, i) => conditionOf(i)));

  test("a query string is parsed once for all rules, and not at all if no rule needs it", () => {
    let parsed = 0;
    class Counting extends URLSearchParams {
      constructor(text: string) {
        super(text);
        parsed++;
      }
    }
    vi.stubGlobal("URLSearchParams", Counting);
    try {
      decideFor(
        hundred((i) => ({ query: { [`n${i}`]: "x" }, not: { query: { b: true } } })),
        LONGEST_QUERY,
      );
      expect(parsed).toBe(1);
      decideFor(
        hundred(() => ({ country: "US" })),
        LONGEST_QUERY,
      );
      expect(parsed).toBe(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test.each<[string, (i: number) => RuleCondition]>([
    ["of a hundred names", (i) => ({ query: { [`n${i}`]: "x" } })],
    [
      "of twenty names each",
      () => ({ query: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, true])) }),
    ],
    ["of as many values as fit", () => ({ query: { a: Array.from({ length: 100 }, (_, n) => `z${n}`) } })],
  ])("a hundred rules %s cost little more than one with the longest query string", (_, conditionOf) => {
    const rules = hundred(conditionOf);
    expect(JSON.stringify(rules.routing).length).toBeLessThan(RULES_MAX_BYTES + 5_000);
    const one = cost(link([{ query: { n: "x" } }]), LONGEST_QUERY);
    expect(cost(rules, LONGEST_QUERY) / one).toBeLessThan(5);
  });
});
