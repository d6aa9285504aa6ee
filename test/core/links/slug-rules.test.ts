/** Which slugs can be chosen. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseSlug, slugPath } from "../../../src/core/hosts.ts";
import { lookalikeProblem, slugProblem } from "../../../src/core/links/slug-rules.ts";

describe("4 slugs that can be chosen", () => {
  test.each([
    "a",
    "Spring_Sale-2026",
    "v1.2~beta",
    "team/q3/plan",
    "straße",
    "летняя-распродажа",
    "夏のセール",
    "여름",
    "गर्मी",
    "क्षत्रिय",
    "١٢٣",
    "e\u0301te\u0301",
    "🎈",
    "❤️",
    "❤",
    "❤\ufe0e",
    "👍🏽-ok",
    "👩‍🚀",
    "👁️‍🗨️",
    "👁‍🗨",
    "🕵🏽‍♂️",
    "🕵🏽‍♂",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "🇩🇪🇫🇷",
    "1️⃣",
    "#⃣",
    "*️⃣/a",
    "©",
    "ＡＢ",
    "a".repeat(128),
    Array(16).fill("a").join("/"),
    "é".repeat(100),
    "🎈".repeat(75),
  ])("%s", (slug) => {
    expect(slugProblem(slug)).toBeNull();
    expect(parseSlug(slugPath(slug))).toBe(slug);
  });
});

describe("4 slugs that cannot be chosen", () => {
  const length = "must have 1 to 128 characters";
  const form =
    "must contain only letters, digits, emoji and - _ . ~, in segments that begin and end with a letter, digit or emoji";
  const bytes = "must have at most 900 bytes when percent-encoded";

  test.each<readonly [string, string | null]>([
    ["", length],
    ["a".repeat(129), length],
    ["🎈".repeat(129), length],
    [Array(17).fill("a").join("/"), "must have at most 16 segments"],
    ["é".repeat(128), null],
    ["中".repeat(100), null],
    ["中".repeat(101), bytes],
    ["🎈".repeat(76), bytes],
    ...[".", "..", "a/..", "a/./b", "a//b", "/a", "a/", "-a", "a-", "a/_b", "~a", "a~/b", "a.", "é.", ".é"].map(
      (slug) => [slug, form] as const,
    ),
    ...["a b", "a+b", "a%b", "a#b", "a*", "#", "a\\b", "a@b", "a\tb", "½", "Ⅷ", "€", "／", "é／é", "…"].map(
      (slug) => [slug, form] as const,
    ),
    // Invisible: joiners, direction marks, tags, variation selectors, fillers, half a surrogate pair, unassigned.
    ...[
      "a\u200db",
      "می\u200cشود",
      "é\u202eb",
      "a\u2066b",
      "é\ufeff",
      "é\u00ad",
      "🎈\u{e0067}",
      "a\ufe0f",
      "1\ufe0f",
    ].map((slug) => [slug, form] as const),
    ...["❤\ufe0f\ufe0f", "👩\u200d", "\u200d👩", "é\u3164", "é\ud800", "\u{e000}", "é\u0378", "é\u034f", "🇩"].map(
      (slug) => [slug, form] as const,
    ),
    ...["v1", "API", "docs/a", "Setup", "ſetup", "t", "T/a", "deﬁne/x", "openapi.json", "v12/x", "ﬁ"].map(
      (slug) => [slug, /^(?:deﬁne|ﬁ)/.test(slug) ? null : "is reserved"] as const,
    ),
  ])("%j: %s", (slug, problem) => {
    expect(slugProblem(slug)).toBe(problem);
  });

  test("any text: the reply takes no longer than its length, and what can be chosen can be visited", () => {
    const unit = fc.constantFrom(
      "👍🏽",
      "👩‍🚀",
      "🇩🇪",
      "🇩",
      "1",
      "\u20e3",
      "\ufe0f",
      "\u200d",
      "é",
      "a",
      "-",
      "/",
      " ",
      "\u0301",
      "ー",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 250 }), (units) => {
        const slug = units.join("");
        const startedAt = performance.now();
        const problem = slugProblem(slug);
        expect(performance.now() - startedAt).toBeLessThan(200);
        if (problem === null) expect(parseSlug(slugPath(slug))).toBe(slug);
      }),
    );
  });
});

describe("4 slugs on the service's own domain", () => {
  const [mixed, looksLatin] = [
    "must not mix scripts in a segment",
    "must not look like Latin letters in another script",
  ];

  test.each([
    ["spring", null],
    ["straße", null],
    ["лето-2026", null],
    ["лето/summer", null],
    ["καλοκαίρι", null],
    ["ամառ", null],
    ["夏sale", null],
    ["夏のSale", null],
    ["여름sale2", null],
    ["ㄅ夏a", null],
    ["カード", null],
    ["गर्मी", null],
    ["ꭰꭱ", null],
    ["🎈лето", null],
    ["🎈❤️", null],
    ["раура1", looksLatin],
    ["spring/РАУРАІ", looksLatin],
    ["ёё", looksLatin],
    ["сосо-2", looksLatin],
    ["ΑΒΕ", looksLatin],
    ["օո", looksLatin],
    ["pаypal", mixed],
    ["latinи", mixed],
    ["aβ", mixed],
    ["летоλ", mixed],
    ["のह", mixed],
    ["の여", mixed],
    ["सа", mixed],
    ["ꭰა", mixed],
    ["ok/сοс", mixed],
  ])("%s: %s", (slug, problem) => {
    expect(lookalikeProblem(slug)).toBe(problem);
  });
});
