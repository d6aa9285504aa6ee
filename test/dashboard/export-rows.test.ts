/** Exports links: all pages in one file, and no cell that a spreadsheet would run. */
import { expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { csvPart, exportFile, jsonPart } from "../../src/dashboard/pages/links/bulk-csv.ts";

function link(number: number, fields: Partial<Link> = {}): Link {
  return {
    id: `lnk_${number}`,
    slug: `s${number}`,
    domain: "s.example",
    short_url: `https://s.example/s${number}`,
    url: `https://example.com/${number}`,
    routing: [],
    expires_at: null,
    created_at: "2026-11-21T09:00:00.000Z",
    updated_at: "2026-11-21T09:05:00.000Z",
    ...fields,
  };
}

test("CSV has one header, quoted cells, and no formulas", async () => {
  const pages = [
    [link(1), link(2, { url: "https://example.com/?a=1,2", title: "Spring", tags: ["a", "b"] })],
    [
      link(3, {
        url: "=HYPERLINK(1)",
        starts_at: "2026-12-01T00:00:00.000Z",
        expires_at: "2027-01-01T00:00:00.000Z",
        fallback_url: "https://example.com/soon",
        forward_query: true,
        forward_path: true,
        noindex: true,
        redirect_status: 301,
        paused: true,
        archived: true,
        social: { title: "A, b" },
        aliases: [
          { slug: "größe/1", domain: "s.example", short_url: "https://s.example/gr%C3%B6%C3%9Fe/1" },
          { slug: "b", domain: "go.example", short_url: "https://go.example/b" },
        ],
        password_protected: true,
      }),
    ],
    [],
  ];
  const file = exportFile(
    "csv",
    pages.map((links, index) => csvPart(links, index === 0)),
  );
  expect(file.type).toBe("text/csv;charset=utf-8");
  expect(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer())).toBe(
    `\uFEFF${[
      "short_url,url,title,tags,created_at,updated_at,starts_at,expires_at,fallback_url,forward_query,forward_path,noindex,redirect_status,paused,archived,password_protected,social,aliases,rules,id",
      "https://s.example/s1,https://example.com/1,,,2026-11-21T09:00:00.000Z,2026-11-21T09:05:00.000Z,,,,,,,,,,,,,,lnk_1",
      'https://s.example/s2,"https://example.com/?a=1,2",Spring,"a, b",2026-11-21T09:00:00.000Z,2026-11-21T09:05:00.000Z,,,,,,,,,,,,,,lnk_2',
      'https://s.example/s3,\'=HYPERLINK(1),,,2026-11-21T09:00:00.000Z,2026-11-21T09:05:00.000Z,2026-12-01T00:00:00.000Z,2027-01-01T00:00:00.000Z,https://example.com/soon,true,true,true,301,true,true,true,"{""title"":""A, b""}","s.example/größe/1, go.example/b",,lnk_3',
      "",
    ].join("\n")}`,
  );
});

test("rules are written as JSON", () => {
  const routing = [{ if: { country: "DE" }, to: "https://example.com/de" }];
  expect(csvPart([link(1, { routing })], false)).toContain(
    `"[{""if"":{""country"":""DE""},""to"":""https://example.com/de""}]"`,
  );
});

test.each([[[[1, 2], [], [3]]], [[[1]]], [[[]]]])("JSON is one array of links: %j", async (pages) => {
  let count = 0;
  const parts = pages.map((numbers) => {
    const links = numbers.map((number) => link(number));
    const part = jsonPart(links, count === 0);
    count += links.length;
    return part;
  });
  expect(JSON.parse(await exportFile("json", parts).text())).toEqual(pages.flat().map((number) => link(number)));
});
