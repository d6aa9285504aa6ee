/** The dashboard's list loads further pages automatically if the API's pages are short or empty. */
import { expect, test } from "vitest";

import type { Link, LinkPage } from "../../src/core/contract/links.ts";
import { fillPage, PAGE_REQUESTS_MAX } from "../../src/dashboard/pages/links/link-page.ts";

/** An API with the given number of links per page. The cursor is the number of the next page. */
function api(sizes: number[]) {
  const asked: [string | null, number][] = [];
  const read = async (cursor: string | null, limit: number): Promise<LinkPage> => {
    asked.push([cursor, limit]);
    const page = Number(cursor ?? 0);
    const data = Array.from({ length: Math.min(limit, sizes[page] ?? 0) }, (_, i) => ({ id: `${page}-${i}` }) as Link);
    const more = page + 1 < sizes.length;
    return { data, has_more: more, next_cursor: more ? String(page + 1) : null };
  };
  return { read, asked };
}

test("empty pages are followed until links arrive, if there are more", async () => {
  const { read, asked } = api([0, 0, 3]);
  const steps: number[] = [];
  const { links, next } = await fillPage(read, null, 20, (step) => steps.push(step));
  expect([links.map(({ id }) => id), next, steps]).toEqual([["2-0", "2-1", "2-2"], null, [1, 2, 3]]);
  expect(asked).toEqual([
    [null, 20],
    ["1", 20],
    ["2", 20],
  ]);
});

test("short pages are joined to one full page, and no link is requested twice", async () => {
  const { read, asked } = api([15, 2, 9, 9]);
  const { links, next } = await fillPage(read, null, 20, () => {});
  expect([links.length, next]).toEqual([20, "3"]);
  expect(asked.map(([, limit]) => limit)).toEqual([20, 5, 3]);
});

test("after ten requests it stops and returns where to continue", async () => {
  const { read, asked } = api(Array.from({ length: 25 }, () => 0));
  const { links, next } = await fillPage(read, "3", 20, () => {});
  expect([links, next, asked.length]).toEqual([[], String(3 + PAGE_REQUESTS_MAX), PAGE_REQUESTS_MAX]);
});
