/** Selects links of a page one by one, by range, or all together. */
import { expect, test } from "vitest";

import {
  NOTHING_SELECTED,
  type Selection,
  toggleOne,
  togglePage,
  toggleRange,
} from "../../src/dashboard/pages/links/link-page.ts";

const PAGE = ["a", "b", "c", "d", "e"];

function ids(selection: Selection) {
  return [...selection.ids].sort().join("");
}

test("one link is selected and cleared", () => {
  const one = toggleOne(NOTHING_SELECTED, "b");
  expect(ids(one)).toBe("b");
  expect(ids(toggleOne(one, "b"))).toBe("");
});

test("a range extends from the previously clicked link to this one, in either direction", () => {
  const down = toggleRange(toggleOne(NOTHING_SELECTED, "b"), PAGE, "d");
  expect(ids(down)).toBe("bcd");
  expect(ids(toggleRange(toggleOne(NOTHING_SELECTED, "d"), PAGE, "a"))).toBe("abcd");
  expect(ids(toggleRange(toggleOne(down, "b"), PAGE, "c"))).toBe("d");
});

test("a range that does not begin on this page is one link", () => {
  expect(ids(toggleRange(NOTHING_SELECTED, PAGE, "c"))).toBe("c");
  expect(ids(toggleRange(toggleOne(NOTHING_SELECTED, "elsewhere"), PAGE, "c"))).toBe("celsewhere");
});

test("the page is selected, and cleared if all of it is selected", () => {
  const all = togglePage(toggleOne(NOTHING_SELECTED, "b"), PAGE);
  expect(ids(all)).toBe("abcde");
  expect(ids(togglePage(all, PAGE))).toBe("");
});
