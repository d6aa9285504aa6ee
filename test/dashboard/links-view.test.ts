/** The view of the list of links in the URL, and the trail of pages in the browser's history. */
import { describe, expect, test } from "vitest";

import {
  changeLinksView,
  linksQuery,
  parseHiddenColumns,
  parseLinksView,
  parseTrail,
  printLinksView,
  savedQuery,
} from "../../src/dashboard/pages/links/links-view.ts";

const DEFAULT_VIEW = {
  filters: {},
  sort: "-created_at",
  size: 20,
  position: { cursor: null, first: 1 },
  dialog: null,
} as const;
const CURSOR = "lnk_01kajm2t4g8q5v7w9x3y6z1a2b";

function parse(search: string) {
  return parseLinksView(new URLSearchParams(search));
}

describe("views are read from the URL and written to it", () => {
  test.each([
    ["", DEFAULT_VIEW],
    [
      "search=spring&domain=go.example.com&tag=a%26b&tag=c&status=expired&sort=created_at",
      {
        ...DEFAULT_VIEW,
        filters: { search: "spring", domain: "go.example.com", tag: ["a&b", "c"], status: "expired" },
        sort: "created_at",
      },
    ],
    ["rules=true&origin=api", { ...DEFAULT_VIEW, filters: { rules: "true", origin: "api" } }],
    [
      `sort=-clicks&size=50&after=${CURSOR}&first=51&dialog=link`,
      { ...DEFAULT_VIEW, sort: "-clicks", size: 50, position: { cursor: CURSOR, first: 51 }, dialog: "link" },
    ],
  ])("%s", (search, view) => {
    expect(parse(search)).toEqual(view);
    expect(printLinksView(parse(search)).toString()).toBe(search);
  });

  test.each([
    "status=gone&sort=size&search=&page=3&size=7&dialog=x&rules=1&origin=someone",
    "after=%3Cscript%3E&first=21",
    `after=${"a".repeat(101)}`,
    "first=21",
    `tag=&tag=${"a".repeat(51)}`,
  ])("unknown values are ignored: %s", (search) => {
    expect(parse(search)).toEqual(DEFAULT_VIEW);
  });

  test.each(["", "-3", "1e99", "x"])("a page with an invalid number is not the first page: %s", (first) => {
    expect(parse(`after=${CURSOR}&first=${first}`).position).toEqual({ cursor: CURSOR, first: 2 });
  });
});

test("new filters start at the first page", () => {
  const view = parse(`after=${CURSOR}&first=21&size=50`);
  expect(changeLinksView(view, { filters: { search: "a" } })).toEqual({
    ...DEFAULT_VIEW,
    size: 50,
    filters: { search: "a" },
  });
});

test("a saved view has the filters and the order, and no page or dialog", () => {
  const query = "search=spring&tag=a&tag=%C3%A4+b&sort=-clicks";
  expect(savedQuery(parse(`${query}&size=50&after=${CURSOR}&first=51&dialog=export`))).toBe(query);
  expect(savedQuery(parse("size=50&dialog=link"))).toBe("");
});

test.each([
  ["clicks,title", ["title", "clicks"]],
  ["", []],
  ["x,__proto__", []],
  [undefined, []],
])("hidden columns are read from storage: %j", (text, columns) => {
  expect(parseHiddenColumns(text)).toEqual(columns);
});

test("sorting is left to the API", () => {
  expect(linksQuery(parse("sort=-clicks&search=a"))).toEqual({ search: "a", sort: "-clicks" });
  expect(linksQuery(parse("sort=created_at"))).toEqual({ sort: "created_at" });
});

test("a trail is read from the history's state, even from an invalid one", () => {
  const trail = [
    { cursor: null, first: 1 },
    { cursor: CURSOR, first: 21 },
  ];
  expect(parseTrail({ trail })).toEqual(trail);
  expect(parseTrail({ trail: [{ cursor: 1, first: 1 }, null, { cursor: null }] })).toEqual([]);
  for (const state of [null, undefined, "x", {}, { trail: 3 }]) expect(parseTrail(state)).toEqual([]);
});
