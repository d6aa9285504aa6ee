/** How texts are compared: case-insensitively for every letter. */
import { expect, test } from "vitest";

import { foldCase, tagKey } from "../../../src/core/links/case-folding.ts";

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
