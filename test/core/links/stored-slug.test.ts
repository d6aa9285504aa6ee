import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CreateLink } from "../../../src/core/contract/links.ts";
import { conflictingSlugs, exactSlug, isExactSlug, storedForms, typedSlug } from "../../../src/core/hosts.ts";

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
    ["a", "~a~0"],
    ["A", "~a~1"],
    ["Ab", "~ab~1"],
    ["aB", "~ab~2"],
    ["ABCD", "~abcd~f"],
    ["abcdE", "~abcde~01"],
    ["X-9_Y", "~x-9_y~11"],
  ])("%s is stored as %s", (slug, stored) => {
    expect(exactSlug(slug)).toBe(stored);
    expect(typedSlug(stored)).toBe(slug);
  });

  test("each is restored as it was typed, and equals no slug that can be chosen", () => {
    fc.assert(
      fc.property(slugs, (slug) => {
        const stored = exactSlug(slug);
        expect(typedSlug(stored)).toBe(slug);
        expect(typedSlug(slug)).toBe(slug);
        expect([isExactSlug(stored), isExactSlug(slug)]).toEqual([true, false]);
        expect(CreateLink.safeParse({ url: "https://example.com/", slug: stored }).success).toBe(false);
        expect(stored.length).toBeLessThanOrEqual(82);
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
    expect(storedForms("Ab")).toEqual(["Ab", "~ab~1"]);
    expect(storedForms("~ab~1")).toEqual(["", ""]);
  });
});
