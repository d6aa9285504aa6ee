import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CreateLink } from "../../../src/core/contract/links.ts";
import {
  anyCaseSlug,
  conflictingSlugs,
  exactSlug,
  isExactSlug,
  parseSlug,
  slugKey,
  slugPath,
  storedForms,
  typedSlug,
} from "../../../src/core/hosts.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { slugProblem } from "../../../src/core/links/slug-rules.ts";
import { fullFolding } from "../../support/full-case-folding.ts";

const LETTERS = "ABCXYZabcxyz019-_";
const slugs = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/);
/** Slugs of few letters, so that many differ only in case. */
const alikeSlugs = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 64 })
  .map((letters) => letters.join(""));

/** How SQLite compares with `COLLATE NOCASE`: ASCII letters only, which slugs consist of. */
function isBetween(text: string, { from, to }: { from: string; to: string }): boolean {
  const folded = text.toLowerCase();
  return from.toLowerCase() <= folded && folded <= to.toLowerCase();
}

describe("10 slugs of case-sensitive domains", () => {
  test.each([
    ["a", "~a!a"],
    ["A", "~a!^a"],
    ["Ab", "~ab!^ab"],
    ["aB", "~ab!a^b"],
    ["X-9_Y/a.b~c", "~x-9_y/a.b~c!^x-9_^y/a.b~c"],
    ["É", "~é!É"],
    ["Straße", "~strasse!^straße"],
    ["strasse", "~strasse!strasse"],
  ])("%s is stored as %s", (slug, stored) => {
    expect(exactSlug(slug)).toBe(stored);
    expect(typedSlug({ slug: stored })).toBe(slug);
  });

  test("each is restored as it was typed, and equals no slug that can be chosen", () => {
    fc.assert(
      fc.property(slugs, (slug) => {
        const stored = exactSlug(slug);
        expect(typedSlug({ slug: stored })).toBe(slug);
        expect(typedSlug({ slug })).toBe(slug);
        expect([isExactSlug(stored), isExactSlug(slug)]).toEqual([true, false]);
        expect(CreateLink.safeParse({ url: "https://example.com/", slug: stored }).success).toBe(false);
        expect(stored.length).toBeLessThanOrEqual(194);
      }),
    );
  });

  test("two are equal case-insensitively only if they are equal letter by letter", () => {
    fc.assert(
      fc.property(alikeSlugs, fc.array(fc.boolean(), { minLength: 64, maxLength: 64 }), (slug, flips) => {
        const other = Array.from(slug, (letter, i) => (flips[i] ? letter.toUpperCase() : letter.toLowerCase())).join(
          "",
        );
        expect(exactSlug(slug).toLowerCase() === exactSlug(other).toLowerCase()).toBe(slug === other);
      }),
    );
  });

  test("a slug conflicts with exactly those that have its letters and are matched in the other way", () => {
    fc.assert(
      fc.property(alikeSlugs, alikeSlugs, (slug, other) => {
        const isAlike = slug.toLowerCase() === other.toLowerCase();
        expect(isBetween(exactSlug(other), conflictingSlugs(slug))).toBe(isAlike);
        expect(isBetween(other, conflictingSlugs(exactSlug(slug)))).toBe(isAlike);
        expect(isBetween(other, conflictingSlugs(slug))).toBe(false);
        expect(isBetween(exactSlug(other), conflictingSlugs(exactSlug(slug)))).toBe(false);
        const shouted = slug.toUpperCase();
        expect(isBetween(exactSlug(shouted), conflictingSlugs(slug))).toBe(true);
        expect(isBetween(shouted, conflictingSlugs(exactSlug(slug)))).toBe(true);
      }),
    );
  });

  test("a text that looks like a stored slug names no link", () => {
    expect(storedForms("Ab")).toEqual(["Ab", "~ab!^ab"]);
    expect(storedForms("Äb")).toEqual(["äb", "~äb!Äb"]);
    expect(storedForms("~ab!^ab")).toEqual(["", ""]);
  });
});

/**
 * Letters of several scripts, in both cases, in both directions and with marks; letters whose folding is special; digits and
 * emoji.
 */
const CHARACTERS = [
  ..."aZk09é\u1e9eßſıIİσςΣΐάюЮיшाक한中かカｶＡǆǅﬁŉᾳᾼ𐐀𐐨Ꭰꭰ٣१",
  "\u0633\u064e",
  "e\u0301",
  "A\u030a",
  "\u0323\u0307",
  "각",
  "❤\ufe0f",
  "❤",
  "👍🏽",
  "👩‍🚀",
  "🏳️‍🌈",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "#\ufe0f\u20e3",
  "1\u20e3",
  "🇩🇪",
  "©",
];
const part = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 }).map((each) => each.join(""));
const parts = fc.tuple(part, fc.constantFrom("", "-", ".", "_x", "~"), part).map((each) => each.join(""));
const unicodeSlugs = fc
  .array(parts, { minLength: 1, maxLength: 3 })
  .map((each) => each.join("/"))
  .filter((slug) => slugProblem(slug) === null);

/** As browsers, cameras and programs send a slug. */
const spellings: ((slug: string) => string)[] = [
  (slug) => slug,
  slugPath,
  (slug) => slugPath(slug).replace(/%../g, (byte) => byte.toLowerCase()),
  (slug) => new URL(`https://hop.example/${slug.replaceAll("#", "%23")}`).pathname.slice(1),
  (slug) => slugPath(slug.normalize("NFD")),
  (slug) => slugPath(slug.normalize("NFC")),
  (slug) => slugPath(slug.replaceAll("\ufe0f", "")),
  (slug) => slugPath(slug.replace(/❤\ufe0f?|©/g, (emoji) => `${emoji.charAt(0)}\ufe0f`)),
  (slug) => Array.from(new TextEncoder().encode(slug), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
];

const keyOf = (path: string) => {
  const slug = parseSlug(path);
  return slug === null ? null : addressObjectName("hop.example", anyCaseSlug(slug));
};
const exactKeyOf = (path: string) => {
  const slug = parseSlug(path);
  return slug === null ? null : addressObjectName("go.example", exactSlug(slug));
};

describe("4 Unicode slugs", () => {
  test("are found by every spelling, in any case", () => {
    fc.assert(
      fc.property(unicodeSlugs, (slug) => {
        const key = addressObjectName("hop.example", anyCaseSlug(slug));
        for (const spelling of spellings) {
          // All bytes are encoded: slashes too, which separate nothing then.
          if (spelling(slug).includes("%2f")) expect(keyOf(spelling(slug))).toBeNull();
          else {
            expect(keyOf(spelling(slug))).toBe(key);
            expect(exactKeyOf(spelling(slug))).toBe(exactKeyOf(slug));
            expect(keyOf(`${spelling(slug)}/`)).toBe(key);
          }
        }
        // Dotless i is the only letter with a case that is not its own.
        if (!/[ıIİ]/.test(slug))
          for (const other of [slug.toUpperCase(), slug.toLowerCase()]) expect(keyOf(other)).toBe(key);
      }),
    );
  });

  test("are found by no other", () => {
    fc.assert(
      fc.property(unicodeSlugs, unicodeSlugs, (slug, other) => {
        const fold = (text: string) =>
          fullFolding(text.normalize("NFC").replace(/[\ufe0e\ufe0f]/g, "")).normalize("NFC");
        expect(keyOf(slug) === keyOf(other)).toBe(fold(slug) === fold(other));
        expect(exactKeyOf(slug) === exactKeyOf(other)).toBe(
          slug.normalize("NFC").replaceAll("\ufe0f", "") === other.normalize("NFC").replaceAll("\ufe0f", ""),
        );
        expect(typedSlug({ slug: anyCaseSlug(slug), typedSlug: slug })).toBe(slug);
      }),
    );
  });

  test("are found by no spelling with another separator, or with a character that no slug has", () => {
    const foreign = fc.constantFrom(..."／\u061c\u200b\u200f\u202e\u2060\u2066\ufeff\u00ad");
    fc.assert(
      fc.property(unicodeSlugs, fc.nat(), foreign, (slug, at, character) => {
        for (const separator of ["//", "%2F", "%2f", "\\", "%5C", "/./", "/../"]) {
          const paths = [`${slug}${separator}${slug}`, `${slugPath(slug)}${separator}a`];
          if (slug.includes("/")) paths.push(slug.replace("/", separator));
          for (const path of paths) expect([path, keyOf(path)]).toEqual([path, null]);
        }
        const letters = [...slug];
        const other = letters.toSpliced(at % (letters.length + 1), 0, character).join("");
        for (const path of [other, slugPath(other)]) {
          expect([path, keyOf(path)]).not.toEqual([path, keyOf(slug)]);
          expect([path, exactKeyOf(path)]).not.toEqual([path, exactKeyOf(slug)]);
        }
      }),
    );
  });

  test.each([
    ["a//b"],
    ["//a"],
    ["a//"],
    ["a%2Fb"],
    ["a%2fb"],
    ["a%5Cb"],
    ["a\\b"],
    ["%"],
    ["%C3"],
    ["%C3%28"],
    ["%C0%AF"],
    ["%ED%A0%80"],
    ["é%2Fé"],
    ["é%252Fé"],
    ["a."],
    [".a"],
    ["é-"],
    ["~é!é"],
    ["é é"],
    ["x".repeat(129)],
    ["é".repeat(5_000)],
    ["\ufb01".repeat(300)],
  ])("%j is no slug", (path) => {
    expect(parseSlug(path)).toBeNull();
  });

  test.each([
    ["Straße", "STRASSE", true],
    ["ΣΊΣΥΦΟΣ", "σίσυφοσ", true],
    ["ı", "i", false],
    ["İ", "i", false],
    ["İ", "i\u0307", true],
    ["ﬁ", "fi", true],
    ["Ａ", "a", false],
    ["ᎠᎡ", "ꭰꭱ", true],
    ["é", "e", false],
    ["1\ufe0f\u20e3", "1\u20e3", true],
  ])("%s and %s are the same: %s", (one, other, isSame) => {
    expect(slugKey(anyCaseSlug(one)) === slugKey(anyCaseSlug(other))).toBe(isSame);
    expect(conflictingSlugs(exactSlug(one)).from === conflictingSlugs(exactSlug(other)).from).toBe(isSame);
    expect(exactSlug(one) === exactSlug(other)).toBe(/[\u20e3]/.test(one));
  });
});
