/** Export files of other services become links; unreadable entries are refused by their line. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

import { IMPORT_FILE_MAX_BYTES, readExport } from "../../../src/core/imports/read-export.ts";
import { FORMAT_NAMES, type FormatName } from "../../../src/core/imports/services.ts";
import { exportFile } from "../../support/export-files.ts";

const fromFile = (name: string, format: FormatName | null = null) =>
  read(readFileSync(resolve(import.meta.dirname, "files", name)), format);

const fromText = (text: string, format: FormatName | null = null) => read(new TextEncoder().encode(text), format);

function read(bytes: Uint8Array, format: FormatName | null) {
  const found = readExport(bytes, format);
  if ("problem" in found) throw new Error(found.problem);
  return found;
}

const plain = { hasPassword: false, aliases: [] };
const FAR = "2099-01-01T00:00:00.000Z";

describe("each service's file", () => {
  test("dub, CSV of the dashboard", () => {
    expect(fromFile("dub.csv")).toEqual({
      format: "dub",
      encoding: "utf-8",
      unit: "line",
      links: [
        {
          ...plain,
          at: 2,
          domain: "go.example.com",
          slug: "spring",
          content: { url: "https://example.com/spring?a=1&b=2", tags: ["Spring", "print"] },
        },
        {
          ...plain,
          at: 3,
          domain: "go.example.com",
          slug: "Docs/Start",
          content: { url: "https://example.com/docs", archived: true },
        },
        { ...plain, at: 4, domain: "go.example.com", slug: "", content: { url: "https://example.com/" } },
      ],
      refused: [],
      lost: { "click counts": 2, "creation dates": 3 },
      unread: [],
    });
  });

  test("dub, JSON of the API: targeting becomes rules in dub's order, a disabled link is refused", () => {
    const found = fromFile("dub.json");
    expect(found.links).toEqual([
      {
        ...plain,
        at: 1,
        domain: "go.example.com",
        slug: "launch",
        content: {
          url: "https://example.com/launch?utm_source=mail",
          title: "Launch",
          tags: ["Mail"],
          expires_at: FAR,
          fallback_url: "https://example.com/over",
          social: { title: "Launch", description: "The card" },
          routing: [
            { if: { os: "ios" }, to: "https://example.com/ios" },
            { if: { country: "DE" }, to: "https://example.com/de" },
            { if: { country: "FR" }, to: "https://example.com/fr" },
            { if: { percent: 30 }, to: "https://example.com/a" },
            { if: { percent: 100 }, to: "https://example.com/b" },
          ],
        },
      },
      {
        at: 2,
        hasPassword: true,
        aliases: [],
        domain: "go.example.com",
        slug: "secret",
        content: { url: "https://example.com/secret", password: "hunter" },
      },
      { ...plain, at: 4, domain: "go.example.com", slug: "", content: { url: "https://example.com/" } },
    ]);
    expect(found.refused).toEqual([
      { at: 3, address: "off", reason: "The link is disabled at dub.", advice: expect.stringContaining("Enable it") },
    ]);
    expect(found.lost).toEqual({ "permission for search engines": 1, "click counts": 1, "creation dates": 1 });
    expect(found.unread).toEqual(["newField"]);
  });

  test("Bitly: the custom address becomes an alias of the generated one", () => {
    const aliases = [{ domain: "go.example.com", slug: "sale" }];
    const sale = { url: "https://example.com/sale", title: 'Spring, "big" sale', tags: ["Spring", "print"] };
    expect(fromFile("bitly.csv").links).toEqual([
      { ...plain, at: 2, domain: "bit.ly", slug: "3xYzAb1", aliases, content: sale, clicks: 120 },
      {
        ...plain,
        at: 3,
        domain: "bit.ly",
        slug: "3xYzAb2",
        content: { url: "https://example.com/plain", title: "Plain" },
        clicks: 3,
      },
    ]);
    const json = fromFile("bitly.json");
    const content = { url: "https://example.com/sale", title: "Sale", tags: ["Spring"] };
    expect(json.links).toEqual([{ ...plain, at: 1, domain: "bit.ly", slug: "3xYzAb1", aliases, content }]);
    expect(json.lost).toEqual({ "creation dates": 1, "app links": 1 });
  });

  test("Short.io, CSV with semicolons and JSON of the API", () => {
    const found = fromFile("short-io.csv");
    expect(found.links).toEqual([
      {
        ...plain,
        at: 2,
        domain: "go.example.com",
        slug: "Abc",
        content: {
          url: "https://example.com/a",
          title: "Title A",
          tags: ["one", "two"],
          expires_at: FAR,
          fallback_url: "https://example.com/over",
          routing: [
            { if: { os: "ios" }, to: "https://example.com/ios" },
            { if: { os: "android" }, to: "https://example.com/android" },
          ],
        },
      },
      { ...plain, at: 3, domain: "go.example.com", slug: "gruß", content: { url: "https://example.com/b" } },
    ]);
    expect(found.lost).toEqual({ "creation dates": 2, "click limits": 1, "click counts": 1 });
    expect(fromFile("short-io.json").links[0]?.content).toEqual({
      url: "https://example.com/a",
      title: "A",
      tags: ["one"],
      forward_query: true,
      routing: [{ if: { percent: 25 }, to: "https://example.com/split" }],
    });
  });

  test("Kutt, JSON of the API and CSV of its table", () => {
    const found = fromFile("kutt.json");
    expect(found.links).toEqual([
      {
        ...plain,
        at: 1,
        domain: "kutt.example",
        slug: "spring",
        content: { url: "https://example.com/spring", title: "Spring sale", expires_at: FAR },
        clicks: 7,
      },
      {
        at: 2,
        hasPassword: true,
        aliases: [],
        domain: "go.example.com",
        slug: "locked",
        content: { url: "https://example.com/locked" },
      },
    ]);
    expect(found.refused).toMatchObject([{ at: 3, reason: "The link is banned at Kutt." }]);
    expect(fromFile("kutt.csv").links).toEqual([
      {
        ...plain,
        at: 2,
        domain: null,
        slug: "spring",
        content: { url: "https://example.com/spring", title: "Spring", expires_at: FAR },
        clicks: 7,
      },
    ]);
  });

  test("Sink", () => {
    const found = fromFile("sink.json");
    expect(found.links).toEqual([
      {
        ...plain,
        at: 1,
        domain: null,
        slug: "app",
        content: {
          url: "https://example.com/app",
          title: "App page",
          tags: ["app", "store"],
          social: { description: "The card", image: "https://example.com/card.png" },
          expires_at: FAR,
          forward_query: true,
          routing: [
            { if: { os: "android" }, to: "https://example.com/google" },
            { if: { os: "ios" }, to: "https://example.com/apple" },
            { if: { country: "DE" }, to: "https://example.com/de" },
          ],
        },
      },
      {
        ...plain,
        at: 2,
        hasPassword: true,
        domain: null,
        slug: "plain",
        content: { url: "https://example.com/plain" },
      },
    ]);
    expect(found.lost).toEqual({ "creation dates": 2, "preview images without an https URL": 1, passwords: 1 });
  });

  test("Shlink, CSV of the web client, the table of its command, JSON of the API", () => {
    const spring = { url: "https://example.com/spring", title: "Spring", tags: ["one", "two"] };
    expect(fromFile("shlink.csv").links).toEqual([
      { ...plain, at: 2, domain: "go.example.com", slug: "spring", content: spring },
      { ...plain, at: 3, domain: "go.example.com", slug: "a/b", content: { url: "https://example.com/ab" } },
    ]);
    expect(fromFile("shlink.txt").links).toEqual([
      { ...plain, at: 4, domain: "go.example.com", slug: "spring", content: spring },
      { ...plain, at: 5, domain: "s.example.com", slug: "plain", content: { url: "https://example.com/plain" } },
    ]);
    const json = fromFile("shlink.json");
    expect(json.links[0]?.content).toEqual({
      url: "https://example.com/spring",
      title: "Spring",
      tags: ["one"],
      starts_at: "2024-04-01T00:00:00.000Z",
      expires_at: "2098-12-31T22:00:00.000Z",
      forward_query: true,
    });
    expect(json.lost).toEqual({
      "creation dates": 1,
      "click counts": 1,
      "click limits": 1,
      "redirect rules (the file does not have them)": 1,
    });
  });

  test("YOURLS, CSV and SQL: a title that looks like SQL is a title", () => {
    expect(fromFile("yourls.csv").links.map(({ slug, content }) => [slug, content])).toEqual([
      ["spring", { url: "https://example.com/spring", title: "Spring &amp; more" }],
      ["plain", { url: "https://example.com/plain" }],
    ]);
    const sql = fromFile("yourls.sql");
    expect(sql.unit).toBe("entry");
    expect(sql.links).toEqual([
      {
        ...plain,
        at: 1,
        domain: null,
        slug: "spring",
        content: {
          url: "https://example.com/spring",
          title: "It's; INSERT INTO `yourls_url` VALUES ('evil','https://evil.example/')",
        },
      },
      { ...plain, at: 2, domain: null, slug: "plain", content: { url: "https://example.com/plain" } },
      { ...plain, at: 3, domain: null, slug: "quoted", content: { url: "https://example.com/quote'd" } },
    ]);
  });

  test("Rebrandly, JSON of the API and CSV", () => {
    const found = fromFile("rebrandly.json");
    expect(found.format).toBe("rebrandly");
    expect(found.links).toEqual([
      {
        ...plain,
        at: 1,
        domain: "go.example.com",
        slug: "spring",
        content: { url: "https://example.com/spring", title: "Spring", tags: ["print"], forward_query: true },
        clicks: 42,
      },
      {
        ...plain,
        at: 2,
        domain: "go.example.com",
        slug: "plain",
        content: { url: "https://example.com/plain", title: "Plain" },
      },
    ]);
    expect(found.lost).toEqual({ "creation dates": 2, "link notes": 1 });
    expect(found.unread).toEqual([]);
    expect(fromFile("rebrandly.csv").links).toMatchObject([{ slug: "spring", clicks: 1_042 }]);
  });

  test("YOURLS' CSV without a header is read when its format is named", () => {
    const text = '"a","https://example.com/a","A","2024-03-01 09:00:00","192.0.2.1","7"\n';
    expect(readExport(new TextEncoder().encode(text), null)).toEqual({
      problem: expect.stringContaining("does not look like an export file of a known service"),
      isOtherFormat: true,
    });
    expect(fromText(text, "yourls").links).toEqual([
      { ...plain, at: 1, domain: null, slug: "a", content: { url: "https://example.com/a", title: "A" } },
    ]);
  });

  test("pages of an API in one array, or one per line, are one file", () => {
    const page = (slug: string) => ({ data: [{ address: slug, target: "https://example.com/" }], total: 2 });
    const pages = [page("a"), page("b")];
    const slugs = (text: string) => fromText(text).links.map(({ slug }) => slug);
    expect(slugs(JSON.stringify(pages))).toEqual(["a", "b"]);
    expect(slugs(pages.map((each) => JSON.stringify(each)).join("\n"))).toEqual(["a", "b"]);
  });

  test.each(FORMAT_NAMES)("%s: a wrong format name is reported", (format) => {
    const other = format === "sink" ? "dub" : "sink";
    const bytes = new TextEncoder().encode(exportFile(format, 2, "x"));
    expect(readExport(bytes, other)).toEqual({
      problem: expect.stringMatching(/^This is not an export file of /),
      isOtherFormat: true,
    });
  });
});

describe("texts", () => {
  const csv = "slug,url,id,comment\r\n";
  const titleOf = (bytes: Uint8Array) => {
    const found = read(bytes, null);
    return [found.encoding, found.links[0]?.content.title];
  };
  const row = `${csv}a,https://example.com/,1,Grüße`;

  test("UTF-8 with a byte order mark, UTF-16 and Windows-1252 are read", () => {
    expect(titleOf(new TextEncoder().encode(`\uFEFF${row}`))).toEqual(["utf-8", "Grüße"]);
    const utf16 = (text: string) => new Uint8Array(Uint16Array.from(text, (char) => char.charCodeAt(0)).buffer);
    expect(titleOf(utf16(`\uFEFF${row}`))).toEqual(["utf-16", "Grüße"]);
    expect(titleOf(Uint8Array.from(row, (char) => char.charCodeAt(0)))).toEqual(["windows-1252", "Grüße"]);
  });

  test("lines are counted through quoted line breaks and empty lines", () => {
    const found = fromText(`${csv}a,https://example.com/,1,"two\r\nlines"\r\n\r\n\r\nb,https://example.com/,1,B\r\n`);
    expect(found.links.map(({ at, content }) => [at, content.title])).toEqual([
      [2, "two lines"],
      [6, "B"],
    ]);
  });

  test("domains are read in their stored form", () => {
    const found = fromText("target,address,domain\nhttps://example.com/,a,Go.Exämple.com.\n");
    expect(found.links[0]?.domain).toBe("go.xn--exmple-cua.com");
  });

  test("long titles and surplus tags are cut and reported", () => {
    const tags = Array.from({ length: 25 }, (_, i) => `tag ${i}`).concat("TAG 1", "x".repeat(51));
    const found = fromText(
      JSON.stringify([{ slug: "a", url: "https://example.com/", id: "1", comment: "😀".repeat(201), tags }]),
    );
    expect(found.links[0]?.content.title).toBe("😀".repeat(200));
    expect(found.links[0]?.content.tags).toEqual(tags.slice(0, 20));
    expect(found.lost).toEqual({
      "titles beyond 200 characters (cut)": 1,
      "tags beyond 20, or longer than 50 characters": 1,
    });
  });
});

describe("hostile files", () => {
  const problemOf = (bytes: Uint8Array) => readExport(bytes, null);
  const problem = (text: string) => ({ problem: expect.stringContaining(text) });
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  test("files that are not text, empty, too large or truncated are refused with instructions", () => {
    expect(problemOf(bytesOf("PK\u0003\u0004rest"))).toEqual(problem("save it as CSV"));
    expect(problemOf(new Uint8Array(1_000))).toEqual(problem("not a text file"));
    expect(problemOf(bytesOf(" \n"))).toEqual(problem("empty"));
    expect(problemOf(bytesOf('[{"slug": "a", "url"'))).toEqual(problem("not valid JSON"));
    expect(problemOf(bytesOf("a,b\n1,2"))).toEqual({ ...problem("It begins with: a, b."), isOtherFormat: true });
    expect(problemOf(bytesOf("CREATE TABLE x (a int);"))).toEqual(problem("no INSERT"));
    expect(problemOf(new Uint8Array(IMPORT_FILE_MAX_BYTES + 1))).toEqual(problem("The maximum is 64 MiB"));
  });

  test("an unclosed quotation mark costs its row, not the run", () => {
    const found = fromText(
      'slug,url,id\na,https://example.com/,1\nb,"https://example.com/,1\nc,https://example.com/,1\n',
    );
    expect(found.links.map(({ slug }) => slug)).toEqual(["a"]);
    expect(found.refused).toMatchObject([{ at: 3, reason: expect.stringContaining("quotation mark") }]);
  });

  test("a row that is far too long, or has too many cells, is refused by its line", () => {
    const found = fromText(
      `slug,url,id\na,https://example.com/${"x".repeat(200_000)},1\nb,https://example.com/,1,2,3\nc,https://example.com/,1`,
    );
    expect(found.refused).toMatchObject([
      { at: 2, reason: expect.stringContaining("more than 131072 characters") },
      { at: 3, reason: "This row has 5 cells, but the header has 3." },
    ]);
    expect(found.links.map(({ slug }) => slug)).toEqual(["c"]);
  });

  test("one entry cannot become an unlimited number of links or columns", () => {
    const bitlink = (at: number, customs: number) => ({
      link: `https://bit.ly/${at}`,
      long_url: "https://example.com/",
      custom_bitlinks: Array.from({ length: customs }, (_, i) => `https://go.example.com/${at}-${i}`),
    });
    const found = fromText(JSON.stringify([bitlink(1, 21), bitlink(2, 20)]));
    expect(found.refused).toMatchObject([{ at: 1, reason: "The link has more than 20 custom addresses." }]);
    expect(found.links.map(({ aliases }) => aliases.length)).toEqual([20]);
    const columns = Array.from({ length: 201 }, (_, i) => `c${i}`).join(",");
    const dump = `INSERT INTO yourls_url (keyword,url,${columns}) VALUES ('a','https://example.com/')`;
    expect(problemOf(bytesOf(dump))).toEqual(problem("more than 200 columns"));
  });

  test("names of prototypes are names like others", () => {
    const found = fromText(
      '[{"slug":"a","url":"https://example.com/","id":"1","__proto__":{"password":"x"},"constructor":"y"}]',
    );
    expect(found.links).toMatchObject([{ slug: "a", hasPassword: false }]);
    expect(found.unread).toEqual(["__proto__", "constructor"]);
    const csv = fromText("__proto__,slug,url,id,constructor\nx,a,https://example.com/,1,y\n");
    expect(csv.links).toMatchObject([{ slug: "a", content: { url: "https://example.com/" } }]);
  });

  test("fields of any type are read or ignored, and entries that are not links are refused", () => {
    const found = fromText(
      JSON.stringify([
        {
          slug: { a: 1 },
          url: ["x"],
          id: 1,
          tags: [{ name: 1 }, null, [[]]],
          geo: { DE: { x: 1 }, FR: 5 },
          expiration: {},
        },
        7,
        [["x"]],
      ]),
    );
    expect(found.links).toMatchObject([{ slug: "", content: { url: "" } }]);
    expect(found.refused).toMatchObject([
      { at: 2, reason: "This entry is not a link." },
      { at: 3, reason: "This entry is not a link." },
    ]);
  });

  const TOO_MANY = 100_002;
  test.each([
    ["CSV", `slug,url,id\n${"a,b,c\n".repeat(TOO_MANY)}`],
    ["JSON", `[${'{"shortLink":"c"},'.repeat(TOO_MANY)}{}]`],
    ["JSON lines", '{"shortLink":"c"}\n'.repeat(TOO_MANY)],
  ])("a file of more than 100,000 links is refused: %s", (_name, text) => {
    expect(readExport(new TextEncoder().encode(text), null)).toHaveProperty("problem");
  });

  const MEBIBYTES = 1;
  const filler = (part: string) => part.repeat(Math.ceil((MEBIBYTES * 1024 * 1024) / part.length));
  test.each([
    ["open brackets", filler("[")],
    ["nested lists", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
    ["nested pages", `${'{"data":['.repeat(100_000)}${"]}".repeat(100_000)}`],
    ["quotation marks", `slug,url,id\n${filler('"')}`],
    ["quotes and commas", `slug,url,id\n${filler('",')}`],
    ["commas", `slug,url,id\n${filler(",")}`],
    ["line breaks", `slug,url,id\n${filler("\n")}`],
    ["white space", `slug,url,id\n${filler(" ")}`],
    ["bars", `+-+\n|a|\n${filler("|")}`],
    ["INSERT", `-- \n${filler("INSERT INTO yourls_url VALUES (")}`],
    ["open comments", `-- \n${filler("/*")}`],
    ["single quotes", `-- \n${filler("'")}`],
    ["backslashes", `-- \n'${filler("\\")}`],
    ["long header", filler("a,")],
    [
      "long host",
      JSON.stringify([{ shortLink: `https://${filler("ä")}/x`, key: "a", url: `https://${filler("ä")}/` }]),
    ],
    [
      "combining accents",
      JSON.stringify([{ slug: "a", id: 1, url: "x", comment: filler("\u0301"), tags: [filler("\u0301")] }]),
    ],
  ])("%s take at most linear time", { timeout: 60_000 }, (_name, text) => {
    const began = performance.now();
    readExport(bytesOf(text), null);
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

test.each(FORMAT_NAMES)("%s: ten thousand links are read", (format) => {
  const { links, refused } = fromText(exportFile(format, 10_000, "many"));
  expect(links).toHaveLength(10_000);
  expect(refused).toEqual([]);
  expect(new Set(links.map(({ slug }) => slug)).size).toBe(10_000);
});
