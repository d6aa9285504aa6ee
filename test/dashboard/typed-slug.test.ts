/** Slugs as they are typed or pasted. */
import { expect, test } from "vitest";

import { slugProblem } from "../../src/core/links/slug-rules.ts";
import { cleanSlug, otherSlugs } from "../../src/dashboard/pages/links/link-form.ts";

test.each([
  ["Spring", "Spring"],
  ["spring sale 2026", "spring-sale-2026"],
  [" /spring/ ", "spring/"],
  ["50% off!", "50-off"],
  ["größe", "größe"],
  ["日本　語", "日本-語"],
  ["sale-🎈", "sale-🎈"],
  ["👩🏽‍💻", "👩🏽‍💻"],
  ["spring-", "spring-"],
  ["a//.b", "a/b"],
  ["a/", "a/"],
  ["#?&", ""],
  ["https://hop.example/gr%C3%B6%C3%9Fe/1?x=y", "größe/1"],
  ["https://hop.example/%zz", "zz"],
])("%j becomes %j while it is typed", (typed, slug) => {
  expect(cleanSlug(typed)).toBe(slug);
  expect(cleanSlug(slug)).toBe(slug);
});

test.each(["a b ", "-.x.-", "a-/-b/", "https://hop.example/", "🎈 !", "1️⃣"])(
  "%j becomes a slug or nothing once complete",
  (typed) => {
    const slug = cleanSlug(typed, true);
    expect(slug === "" ? null : slugProblem(slug)).toBeNull();
  },
);

test("others are as long as slugs may be", () => {
  expect(otherSlugs("spring", 2026)).toEqual(["spring-2", "spring-3", "spring-2026", "spring-4", "spring-5"]);
  for (const slug of otherSlugs("x".repeat(128), 2026)) expect(slugProblem(slug)).toBeNull();
});
