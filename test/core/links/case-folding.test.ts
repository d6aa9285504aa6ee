/** How texts are compared: case-insensitively for every letter. */
import { expect, test } from "vitest";

import { foldCase, foldSlug, tagKey } from "../../../src/core/links/case-folding.ts";
import { CASED_CHARACTERS, fullFolding } from "../../support/full-case-folding.ts";

test("a letter equals its upper and lower case, and folding a folded text changes nothing", () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCodePoint(code);
    const folded = foldCase(letter);
    const forms = [folded, letter.toUpperCase(), letter.toLowerCase()];
    if (forms.some((form) => foldCase(form) !== folded)) wrong.push(letter);
  }
  expect(wrong).toEqual([]);
});

test.each([
  ["spring", "SPRING"],
  ["Grün", "GRÜN"],
  ["Straße", "STRASSE"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ЛЕТО", "лето"],
  ["e\u0301te\u0301", "Été"],
  ["ﬁ", "FI"],
  ["İ", "i\u0307"],
])("%j and %j are one tag", (one, other) => {
  expect(tagKey(one)).toBe(tagKey(other));
});

test.each([
  ["grun", "grün"],
  ["a b", "a  b"],
  ["1", "१"],
  ["o", "0"],
])("%j and %j are two tags", (one, other) => {
  expect(tagKey(one)).not.toBe(tagKey(other));
});

test("4 slugs are equal exactly where Unicode's full case folding makes their characters equal", () => {
  expect(CASED_CHARACTERS.length).toBeGreaterThan(2_800);
  const byFold = new Map<string, string>();
  const byReference = new Map<string, string>();
  const wrong: string[] = [];
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCodePoint(code).normalize("NFC");
    const [folded, reference] = [foldSlug(letter), fullFolding(letter.replace(/[\ufe0e\ufe0f]/, "")).normalize("NFC")];
    const isSame = (byFold.get(folded) ?? reference) === reference;
    const isOther = (byReference.get(reference) ?? folded) === folded;
    byFold.set(folded, reference);
    byReference.set(reference, folded);
    // Keys are stored, and compared in lower case.
    const isStable = foldSlug(folded) === folded && folded.toLowerCase() === folded;
    if (!isSame || !isOther || !isStable) wrong.push(letter);
  }
  expect(wrong).toEqual([]);
});
