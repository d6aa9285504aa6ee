/** How texts are compared: every letter equals its other case. */
import { expect, test } from "vitest";

import { foldCase } from "../../../src/core/links/case-folding.ts";

test("a letter equals its upper and lower case, and a folded text is its own", () => {
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
