/** Tags are compared case-insensitively and keep their first spelling. */
import { expect, test } from "vitest";

import { addTags, removeTags, uniqueTags } from "../../src/dashboard/pages/links/tag-lists.ts";

test("each tag is listed once, in its order and first spelling", () => {
  expect(uniqueTags(["b", "A", "a", "B", "c"])).toEqual(["b", "A", "c"]);
});

test("tags are added after those of the link", () => {
  expect(addTags(["Spring", "print"], ["SPRING", "new"])).toEqual(["Spring", "print", "new"]);
});

test("tags are removed in any case", () => {
  expect(removeTags(["Spring", "print"], ["spring", "other"])).toEqual(["print"]);
});
