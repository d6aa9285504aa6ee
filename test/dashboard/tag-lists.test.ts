/** Tags are compared without regard to case, and stay as they are written first. */
import { expect, test } from "vitest";

import { addTags, removeTags, uniqueTags } from "../../src/dashboard/pages/links/tag-lists.ts";

test("each tag is there once, in its order and its first writing", () => {
  expect(uniqueTags(["b", "A", "a", "B", "c"])).toEqual(["b", "A", "c"]);
});

test("tags are added behind those of the link", () => {
  expect(addTags(["Spring", "print"], ["SPRING", "new"])).toEqual(["Spring", "print", "new"]);
});

test("tags are removed in whatever case", () => {
  expect(removeTags(["Spring", "print"], ["spring", "other"])).toEqual(["print"]);
});
