/** Parses links from pasted lines and CSV files, and writes their results as CSV. */
import { describe, expect, test } from "vitest";

import { countLinks, parseBulkLines, resultsCsv, toCreateLink } from "../../src/dashboard/pages/links/bulk-csv.ts";

describe("lines are parsed as links", () => {
  const a = "https://example.com/a";
  const b = "https://example.com/b";
  test.each<[name: string, text: string, links: [line: number, link: object][]]>([
    ["nothing", "", []],
    ["blank lines alone", "\n  \n\n", []],
    [
      "one destination a line",
      `${a}\n${b}`,
      [
        [1, { url: a }],
        [2, { url: b }],
      ],
    ],
    [
      "Windows line ends, blanks around",
      ` ${a} \r\n${b}\r\n`,
      [
        [1, { url: a }],
        [2, { url: b }],
      ],
    ],
    [
      "blank lines between keep their numbers",
      `${a}\n\n${b}`,
      [
        [1, { url: a }],
        [3, { url: b }],
      ],
    ],
    [
      "destination and slug",
      `${a},one\n${b},`,
      [
        [1, { url: a, slug: "one" }],
        [2, { url: b }],
      ],
    ],
    ["a header names the columns, in any order and case", `Slug;URL\none;${a}`, [[2, { url: a, slug: "one" }]]],
    ["columns that are not known are left out", `url,colour\n${a},Spring`, [[2, { url: a }]]],
    [
      "title and tags",
      `url,tags,title\n${a},"a; b",Spring sale`,
      [[2, { url: a, title: "Spring sale", tags: "a; b" }]],
    ],
    ["a destination without a scheme", "example.com/a,one", [[1, { url: a, slug: "one" }]]],
    ["tabs, as spreadsheets copy them", `url\tslug\n${a}\tone`, [[2, { url: a, slug: "one" }]]],
    ["quotes hold commas", `"${a}?x=1,2",one`, [[1, { url: `${a}?x=1,2`, slug: "one" }]]],
    ["a byte order mark is dropped", `\uFEFFurl,slug\n${a},one`, [[2, { url: a, slug: "one" }]]],
    [
      "a line without a destination is kept, to be refused by the API",
      `url,slug\n,one`,
      [[2, { url: "", slug: "one" }]],
    ],
    [
      "domain and expiry",
      `${a},one,go.example.com,2030-01-01T00:00:00Z`,
      [[1, { url: a, slug: "one", domain: "go.example.com", expires_at: "2030-01-01T00:00:00Z" }]],
    ],
  ])("%s", (_, text, links) => {
    expect(parseBulkLines(text)).toEqual(links.map(([number, link]) => ({ number, link })));
  });
});

test("lines without a destination are not counted as links", () => {
  const lines = parseBulkLines(
    "https://example.com/a,one\nexample.com/b\nhello\nftp://example.com/\n,two\nhttps://a b.com",
  );
  expect([countLinks(lines), lines.length]).toEqual([2, 6]);
});

test("17 a protected link of an export is paused unless the file has its password", () => {
  const lines = parseBulkLines(
    "url,password_protected,password\nhttps://a.example/,true,\nhttps://b.example/,true,secret",
  );
  expect(lines.map(({ link }) => toCreateLink(link))).toEqual([
    { url: "https://a.example/", paused: true },
    { url: "https://b.example/", password: "secret" },
  ]);
});

test.each([
  [undefined, undefined],
  ["print; Spring ,a|b;;", ["print", "Spring", "a", "b"]],
])("the tags cell is parsed as a list: %j", (tags, list) => {
  const link = { url: "https://example.com/", ...(tags ? { tags } : {}) };
  expect(toCreateLink(link)).toEqual({ url: link.url, ...(list ? { tags: list } : {}) });
});

test("the aliases cell is parsed as a list of slugs, addresses and short URLs", () => {
  const aliases = "sale; go.example.com/spring/sale, https://go.example.com/gr%C3%B6%C3%9Fe|go.example.com/größe";
  expect(toCreateLink({ url: "https://example.com/", aliases }).aliases).toEqual([
    { slug: "sale" },
    { domain: "go.example.com", slug: "spring/sale" },
    { domain: "go.example.com", slug: "größe" },
    { domain: "go.example.com", slug: "größe" },
  ]);
});

test("times without an offset use the browser's zone, a fallback needs no scheme, forwarding is yes or no", () => {
  const local = (text: string) => new Date(text).toISOString();
  const url = "https://example.com/";
  const read = (link: object) => toCreateLink({ url, ...link });
  expect(read({ starts_at: "2030-12-03", expires_at: "2031-01-05 18:30" })).toEqual({
    url,
    starts_at: local("2030-12-03T00:00"),
    expires_at: local("2031-01-05T18:30"),
  });
  expect(read({ starts_at: "2030-12-03T09:00:00+01:00", expires_at: "soon" })).toEqual({
    url,
    starts_at: "2030-12-03T09:00:00+01:00",
    expires_at: "soon",
  });
  expect(read({ fallback_url: "example.com/soon", forward_query: "TRUE" })).toEqual({
    url,
    fallback_url: "https://example.com/soon",
    forward_query: true,
  });
  expect(read({ forward_query: "no" })).toEqual({ url, forward_query: false });
  expect(read({ redirect_status: "301" })).toEqual({ url, redirect_status: 301 });
  // The API refuses it.
  expect(read({ redirect_status: "permanent" })).toEqual({ url, redirect_status: "permanent" });
});

test("the results table contains no formulas", () => {
  const csv = resultsCsv([
    {
      line: { number: 1, link: { url: "https://example.com/a", slug: "a" } },
      result: { short_url: "https://s.example/a" },
    },
    {
      line: { number: 2, link: { url: '=HYPERLINK("x")' } },
      result: { error: "url must begin with http:// or https://" },
    },
  ]);
  expect(csv).toBe(
    [
      "line,url,slug,short_url,error",
      "1,https://example.com/a,a,https://s.example/a,",
      `2,"'=HYPERLINK(""x"")",,,url must begin with http:// or https://`,
    ].join("\n"),
  );
});
