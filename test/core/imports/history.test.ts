/** Single clicks and sums of other services are read, sorted, sent once, and continued after an interruption. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

import { clickEntries } from "../../../src/core/imports/click-entries.ts";
import { ClickStore, type History, readClicks, readSums, type Spill } from "../../../src/core/imports/read-history.ts";
import type { Me } from "../../../src/core/contract/me.ts";
import type { LinkHistory } from "../../../src/core/imports/import-api.ts";
import { resolveLinks } from "../../../src/core/imports/plan-import.ts";
import { readExport, type ReadExport } from "../../../src/core/imports/read-export.ts";
import { HistorySender } from "../../../src/core/imports/send-history.ts";
import { SERVICES } from "../../../src/core/imports/services.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");

const bytesOf = (name: string) => readFileSync(resolve(import.meta.dirname, "files", name));

function linksOf(name: string): ReadExport {
  const found = readExport(bytesOf(name), null);
  if ("problem" in found) throw new Error(found.problem);
  return found;
}

const account = {
  plan: "premium" as const,
  defaultDomain: "hop.example",
  domains: new Map([["go.example.com", "active" as const]]),
  caseSensitive: new Set<string>(),
};
const options = {
  domain: null,
  domains: new Map<string, string>(),
  withoutRules: false,
  withoutPasswords: false,
  forwardQuery: false,
  update: false,
};

/** Keeps runs in memory. */
const spill: Spill = async (parts) => {
  const bytes = Buffer.concat(parts);
  return async (start, end) => bytes.subarray(start, end).toString();
};

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = Math.max(7, bytes.length / 50);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const reading = { importId: `imp_${"0".repeat(32)}`, account, options, spill, now: NOW };

async function read(links: string, clicks: Uint8Array | string): Promise<[History, ReadExport]> {
  const file = linksOf(links);
  return [await readClicks(file, chunksOf(typeof clicks === "string" ? bytesOf(clicks) : clicks), reading), file];
}

/** The clicks of each link, as requests contain them. */
async function clicksOf(links: string, clicks: Uint8Array | string): Promise<Record<string, unknown[]>> {
  const [{ clicks: store }] = await read(links, clicks);
  const keys = [...(store?.counts.keys() ?? [])];
  const each = keys.map(async (key) => [key, ((await store?.clicksOf(key)) ?? []).map((text) => JSON.parse(text))]);
  return Object.fromEntries(await Promise.all(each));
}

const AT = { first: "2024-05-01T10:00:01.000Z", second: "2024-05-01T10:00:02.000Z" };

describe("17 single clicks, in order of time", () => {
  test.each(["dub-events.json", "dub-events.csv"])("dub, %s", async (name) => {
    const region = name.endsWith("json") ? { region: "US-TX" } : {};
    expect(await clicksOf("dub.json", name)).toEqual({
      "go.example.com/launch": [
        { at: AT.first, country: "DE", device: "mobile", os: "ios", browser: "safari" },
        {
          at: AT.second,
          country: "US",
          ...region,
          city: "Austin",
          referrer: "https://example.org/page",
          device: "desktop",
          os: "macos",
          browser: "chrome",
        },
      ],
    });
  });

  test("Short.io: paths in any case", async () => {
    const [{ unmatched, unreadable, total }] = await read("short-io.json", "short-io-clicks.json");
    expect({ unmatched, unreadable, total }).toEqual({ unmatched: 1, unreadable: 0, total: 2 });
    expect(await clicksOf("short-io.json", "short-io-clicks.json")).toEqual({
      "go.example.com/abc": [
        { at: AT.first, country: "DE", device: "other", os: "other", browser: "other", bot: true },
        {
          at: AT.second,
          country: "US",
          city: "Austin",
          referrer: "https://example.org/",
          device: "desktop",
          os: "windows",
          browser: "chrome",
          utm_source: "mail",
          utm_campaign: "spring",
        },
      ],
    });
  });

  test("Sink", async () => {
    expect(await clicksOf("sink.json", "sink-logs.json")).toEqual({
      "hop.example/app": [
        {
          at: AT.second,
          country: "DE",
          referrer: "example.org",
          language: "de-DE",
          device: "desktop",
          os: "macos",
          browser: "safari",
        },
      ],
    });
  });

  test("Shlink: a visit without its URL is counted as unreadable", async () => {
    const [{ unmatched, unreadable, total }] = await read("shlink.json", "shlink-visits.json");
    expect({ unmatched, unreadable, total }).toEqual({ unmatched: 0, unreadable: 1, total: 2 });
    expect(await clicksOf("shlink.json", "shlink-visits.json")).toEqual({
      "go.example.com/spring": [
        { at: AT.first, device: "other", os: "other", browser: "other", bot: true },
        {
          at: AT.second,
          country: "DE",
          city: "Berlin",
          referrer: "https://example.org/page",
          device: "mobile",
          os: "android",
          browser: "chrome",
          utm_source: "mail",
        },
      ],
    });
  });

  const YOURLS_CLICKS = {
    "hop.example/spring": [
      { at: AT.first, device: "other", os: "other", browser: "other" },
      {
        at: AT.second,
        country: "DE",
        referrer: "https://example.org/page",
        device: "desktop",
        os: "linux",
        browser: "firefox",
      },
    ],
  };

  test("YOURLS, one dump with both tables", async () => {
    const [{ unmatched }] = await read("yourls.sql", "yourls.sql");
    expect(unmatched).toBe(1);
    expect(await clicksOf("yourls.sql", "yourls.sql")).toEqual(YOURLS_CLICKS);
  });

  test.each(["click_id,click_time,shorturl,referrer,user_agent,ip_address,country_code\n", ""])(
    "YOURLS, CSV with header %j",
    async (header) => {
      const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0";
      const rows = `1,2024-05-01 10:00:02,spring,https://example.org/page,"${agent}",192.0.2.1,DE\n2,2024-05-01 10:00:01,SPRING,direct,"a ""quoted""\nprogram",,\n`;
      expect(await clicksOf("yourls.sql", Buffer.from(header + rows))).toEqual(YOURLS_CLICKS);
    },
  );

  test("times before 2000, in the future and of no calendar are not read", async () => {
    const visit = (date: string) => ({
      date,
      referer: "",
      userAgent: "x",
      visitedUrl: "https://go.example.com/spring",
    });
    const dates = ["1999-12-31T23:59:59+00:00", "2026-11-22T10:00:01+00:00", "2026-11-22T11:00:00+01:00", "soon"];
    dates.push("2024-13-05T00:00:00Z", "2024-xZ", "2024-05-01T25:00:00.000Z");
    const [{ unreadable, total }] = await read("shlink.json", Buffer.from(JSON.stringify(dates.map(visit))));
    expect({ unreadable, total }).toEqual({ unreadable: 6, total: 1 });
  });
});

describe("files of any form and size", () => {
  const visit = (i: number) => ({
    date: new Date(Date.parse(AT.first) - i * 1_000).toISOString(),
    referer: 'a "quoted" \\ {brace}] ü',
    userAgent: "Example/1.0",
    visitedUrl: "https://go.example.com/spring",
    tags: [{ name: "a" }, { name: "b" }],
  });
  const visits = Array.from({ length: 50 }, (_, i) => visit(i));
  const page = (data: unknown[]) => ({ visits: { data, pagination: { pagesCount: 2 } } });

  test.each([
    ["a list", JSON.stringify(visits)],
    ["an indented list", JSON.stringify(visits, null, 2)],
    ["a page", JSON.stringify(page(visits))],
    ["a list of pages", JSON.stringify([page(visits.slice(0, 20)), page(visits.slice(20))])],
    ["a list of lists", JSON.stringify([visits.slice(0, 20), visits.slice(20)], null, 1)],
    ["a click per line", visits.map((each) => JSON.stringify(each)).join("\n")],
    ["a page per line", [visits.slice(0, 9), visits.slice(9)].map((each) => JSON.stringify(page(each))).join("\n")],
  ])("%s, in parts of any length", async (_name, text) => {
    const table = SERVICES.shlink.clicks;
    if (!table) throw new Error("no table");
    for (const length of [1, 7, 1_000, 100_000]) {
      const texts = (async function* () {
        for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
      })();
      const dates: unknown[] = [];
      for await (const entry of clickEntries(texts, "Shlink", table)) {
        dates.push("reason" in entry ? entry.reason : entry.get("date"));
      }
      expect(dates).toEqual(visits.map(({ date }) => date));
    }
  });

  test("rows of CSV are read as they arrive, also after a quotation mark within a cell", async () => {
    const table = SERVICES.yourls.clicks;
    if (!table) throw new Error("no table");
    const row = (agent: string, i: number) => `${i},2024-05-01 10:00:02,spring,direct,${agent},192.0.2.1,DE\n`;
    const agents = ['5" display', '"a ""quoted"",\n program"', '""', 'x""y"', '"""a"""', "plain"];
    const text = `click_id,click_time,shorturl,referrer,user_agent,ip_address,country_code\n${Array.from(
      { length: 8 },
      () => agents,
    )
      .flat()
      .map(row)
      .join("")}`;
    for (const length of [1, 2, 7, 40]) {
      const seen: unknown[] = [];
      let seenBeforeLast = 0;
      const texts = (async function* () {
        for (let at = 0; at < text.length; at += length) {
          seenBeforeLast = seen.length;
          yield text.slice(at, at + length);
        }
      })();
      for await (const entry of clickEntries(texts, "YOURLS", table)) {
        seen.push("reason" in entry ? entry.reason : entry.get("clickid"));
      }
      expect(seen).toEqual(Array.from({ length: 48 }, (_, i) => String(i)));
      expect(seenBeforeLast).toBeGreaterThanOrEqual(46);
    }
  });

  test("clicks that exceed memory are stored in runs, and are in order", async () => {
    const store = new ClickStore(spill, 100);
    const texts = Array.from({ length: 200 }, (_, i) =>
      JSON.stringify({ at: new Date(i).toISOString(), city: "Zürich" }),
    );
    for (const [i, text] of texts.toReversed().entries()) await store.add(i % 2 === 0 ? "odd" : "even", text);
    expect(await store.clicksOf("even")).toEqual(texts.filter((_, i) => i % 2 === 0));
    expect(await store.clicksOf("odd")).toEqual(texts.filter((_, i) => i % 2 === 1));
    expect(await store.clicksOf("none")).toEqual([]);
  });

  test.each([
    ["a truncated list", JSON.stringify(visits).slice(0, -5), "may be incomplete"],
    ["another service's clicks", "a,b\n1,2\n", "not a file of single clicks of Shlink. Its entries have: a, b."],
    ["links", JSON.stringify([{ shortCode: "a", longUrl: "https://example.com/" }]), "not a file of single clicks"],
  ])("%s: refused before anything is sent", async (_name, text, problem) => {
    await expect(read("shlink.json", Buffer.from(text))).rejects.toThrow(problem);
  });

  test("leads of dub are not clicks", async () => {
    const leads = JSON.parse(bytesOf("dub-events.json").toString()).map((each: object) => ({
      ...each,
      customer: { id: "1" },
    }));
    await expect(read("dub.json", Buffer.from(JSON.stringify(leads)))).rejects.toThrow(
      "not a file of single clicks of dub",
    );
  });

  test("services without single clicks", async () => {
    await expect(read("bitly.csv", "dub-events.json")).rejects.toThrow("Bitly exports no single clicks");
  });
});

/** The endpoint for the clicks of links, which has those that an earlier run sent. */
class FakeImports {
  readonly requests: { link: string; offset: number; clicks: number }[] = [];
  readonly stored = new Map<string, unknown[]>();
  readonly sums = new Map<string, unknown>();
  failsAfter = Infinity;

  putHistory = async (_id: string, link: string, history: LinkHistory): Promise<{ clicks: number }> => {
    if (this.requests.length >= this.failsAfter) throw new Error("interrupted");
    if (link === "lnk_busy") throw Object.assign(new Error("the link has clicks"), { status: 409 });
    if (!("offset" in history)) {
      this.sums.set(link, history.clicks_before);
      return { clicks: 0 };
    }
    const stored = this.stored.get(link) ?? [];
    const { offset, clicks } = history;
    this.requests.push({ link, offset, clicks: clicks.length });
    this.stored.set(link, [...stored, ...clicks.slice(stored.length - offset)]);
    return { clicks: Math.max(stored.length, offset + clicks.length) };
  };
}

const limits = { bulk_links_per_day: { max: 10_000, used: 0 } } as Me["limits"];

async function send(api: FakeImports, history: History, file: ReadExport, isDryRun = false) {
  const { signal } = new AbortController();
  const sender = new HistorySender(history, file.links.length, limits, { api, signal, isDryRun, onProgress: () => {} });
  const links = resolveLinks(file.links, file.unit, options, account).wanted.map((link) => ({
    link,
    id: `lnk_${link.body.slug}`,
  }));
  const result = await sender.send(links).then(
    () => null,
    (error: Error) => error.message,
  );
  return { result, report: sender.report };
}

describe("17 sending", () => {
  const visits = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      date: new Date(Date.parse(AT.first) + ((i * 7) % count) * 1_000).toISOString(),
      referer: "",
      userAgent: "x",
      visitedUrl: "https://go.example.com/spring",
    }));
  const many = Buffer.from(JSON.stringify(visits(2_500)));

  test("a thousand clicks at once; a repeated import sends only the first, an interrupted one continues", async () => {
    const api = new FakeImports();
    api.failsAfter = 2;
    const [history, file] = await read("shlink.json", many);
    expect(await send(api, history, file)).toMatchObject({ result: "interrupted" });
    api.failsAfter = Infinity;
    const again = await read("shlink.json", many);
    expect(await send(api, ...again)).toMatchObject({ result: null, report: { clicks: 2_500, links: 1, refused: [] } });
    await send(api, ...again);
    expect(api.requests.map(({ offset, clicks }) => [offset, clicks])).toEqual([
      [0, 1_000],
      [1_000, 1_000],
      [0, 1_000],
      [2_000, 500],
      [0, 1_000],
    ]);
    const times = api.stored.get("lnk_spring")?.map((click) => (click as { at: string }).at);
    expect(times).toEqual(
      visits(2_500)
        .map(({ date }) => date)
        .toSorted(),
    );
  });

  test("requests stay within the limit of a body", async () => {
    const referer = `https://example.org/${"ü".repeat(490)}`;
    const long = Buffer.from(JSON.stringify(visits(1_000).map((visit) => ({ ...visit, referer }))));
    const api = new FakeImports();
    await send(api, ...(await read("shlink.json", long)));
    expect(api.requests.map(({ clicks }) => clicks).reduce((a, b) => a + b)).toBe(1_000);
    expect(Math.max(...api.requests.map(({ clicks }) => clicks))).toBeLessThan(260);
  });

  test("sums, dry runs, and links that already have clicks", async () => {
    const file = linksOf("rebrandly.json");
    const history = readSums(file, reading.importId, NOW);
    if (!history) throw new Error("no sums");
    expect(readSums(linksOf("shlink.json"), reading.importId, NOW)).toBe(null);
    const api = new FakeImports();
    expect((await send(api, history, file, true)).report).toMatchObject({ clicks: 42, links: 1 });
    expect(api.sums).toEqual(new Map());
    expect((await send(api, history, file)).report).toMatchObject({ clicks: 42, links: 1 });
    expect(api.sums).toEqual(
      new Map([["lnk_spring", { clicks: 42, until: "2026-11-22T10:00:00.000Z", source: "rebrandly" }]]),
    );
    const tooMany = { ...history, clicks: new ClickStore(spill) };
    tooMany.clicks.counts.set("go.example.com/spring", 1_000_001);
    expect((await send(api, tooMany, file)).report).toMatchObject({
      clicks: 0,
      refused: [{ at: 1, reason: "The link has more than 1,000,000 clicks." }],
    });
    const busy = { ...file, links: file.links.map((link) => ({ ...link, slug: "busy" })).slice(0, 1) };
    expect((await send(api, history, busy)).report).toMatchObject({
      clicks: 0,
      refused: [{ at: 1, address: "go.example.com/busy", reason: "The link has clicks." }],
    });
  });
});
