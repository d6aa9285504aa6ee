/** A link's clicks as CSV and NDJSON: all of them, sent as they are read, and a partial file never seems complete. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import Papa from "papaparse";
import { afterEach, describe, expect, test, vi } from "vitest";

import { service } from "../../../src/api/service.ts";
import { type Click as WireClick, CLICK_COLUMNS } from "../../../src/core/contract/clicks.ts";
import type { ExportRequest } from "../../../src/core/clicks/protocol/link-object-rpc.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { OBJECT_CALLS_MAX } from "../../../src/core/deployment/settings.ts";
import { ClickMix } from "../../bench/click-mix.ts";
import { errorOf, readResponse } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { freezeClockAt } from "../../support/clock.ts";
import type { Click } from "../../support/pack-clicks.ts";
import {
  clicksPath,
  NDJSON,
  objectOf,
  openExport,
  type Query,
  readUntilBroken,
  recordClicks,
  rowsIn,
  textOf,
} from "../../support/recorded-clicks.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => vi.useRealTimers());

const CSV = { Accept: "text/csv" };
const START = Date.parse("2026-03-01T00:00:00Z");

/** Clicks one second apart from `START` on, in batches of at most a thousand. */
async function recordMany(link: Link, count: number, facts: (i: number) => Partial<Click> = () => ({})): Promise<void> {
  const click = (_: unknown, i: number): Click => ({
    at: START + i * 1_000,
    class: "human",
    qr: "",
    rule: "",
    ...facts(i),
  });
  const clicks = Array.from({ length: count }, click);
  for (let from = 0; from < count; from += 1_000) await recordClicks(link, clicks.slice(from, from + 1_000));
}

const open = (by: TestAccount, link: Link, accept: Record<string, string>, query: Query = {}) =>
  openExport(by, clicksPath(link, query), accept);

async function rowsOf(by: TestAccount, link: Link, query: Query = {}): Promise<WireClick[]> {
  const response = await open(by, link, NDJSON, query);
  expect(response.status).toBe(200);
  return rowsIn(await textOf(response));
}

async function tableOf(by: TestAccount, link: Link, query: Query = {}): Promise<string[][]> {
  const text = await textOf(await open(by, link, CSV, query));
  expect(text.endsWith("\r\n")).toBe(true);
  return Papa.parse<string[]>(text.slice(0, -2), { newline: "\r\n" }).data;
}

async function pagesOf(by: TestAccount, link: Link): Promise<WireClick[]> {
  const clicks: WireClick[] = [];
  for (let after = 0; ;) {
    const page = await by.clicks(link, { after: String(after), limit: "1000" });
    clicks.push(...page.data);
    if (!page.has_more) return clicks;
    after = page.next_after;
  }
}

/** The link's object, whose pages `answer` can replace; the requests are recorded. */
function objectsWith(
  link: Link,
  answer: (call: number, ask: () => Promise<unknown>) => Promise<unknown> = (_, ask) => ask(),
): { LINK_CLICKS: Env["LINK_CLICKS"]; asked: ExportRequest[] } {
  const asked: ExportRequest[] = [];
  const object = {
    exportClicks: (request: ExportRequest) => {
      asked.push(request);
      return answer(asked.length, () => objectOf(link).exportClicks(request) as Promise<unknown>);
    },
  };
  return { LINK_CLICKS: { getByName: () => object } as unknown as Env["LINK_CLICKS"], asked };
}

const HOSTILE = [
  "=1+1",
  "+x\ny",
  "@a",
  "-1",
  "\t=2",
  "a,b",
  'say "hi"',
  "'",
  "é 🦊",
  "\ud800",
  " ",
  "\\n",
  "<b>",
  "\u2028",
];

const ann = await premiumAccount();

describe("14 exports of a link's clicks", () => {
  test("14 rows are the clicks of the pages, in the same order, whatever their text", async () => {
    const link = await ann.createLink({ url: "https://example.com/?a=1,2&q=%22" });
    await recordMany(link, 2_600, (i) => ({
      class: i % 7 === 0 ? "bot" : "human",
      city: `${HOSTILE[i % HOSTILE.length]}${i}`,
      utm_source: HOSTILE[i % HOSTILE.length] ?? "",
      qr: i % 5 === 0 ? "qr_1" : "",
    }));
    const clicks = await pagesOf(ann, link);
    expect(clicks.map(({ seq }) => seq)).toEqual(Array.from({ length: 2_600 }, (_, i) => i + 1));
    expect(await rowsOf(ann, link)).toEqual(clicks);
    const [header, ...rows] = await tableOf(ann, link);
    expect(header).toEqual(CLICK_COLUMNS);
    const cells = (click: WireClick) =>
      Object.values(click).map((value) =>
        value === null
          ? ""
          : String(value)
              .replace(/^(\t?)(?=[=+\-@])/, "$1'")
              .replace(/^(?=[\t\r\n])/, "'"),
      );
    expect(rows).toEqual(clicks.map(cells));
  });

  test("14 an export can resume after every row", async () => {
    const link = await ann.createLink();
    await recordMany(link, 30);
    const all = await rowsOf(ann, link);
    const [header, ...table] = await tableOf(ann, link);
    for (let after = 0; after <= 31; after++) {
      expect(await rowsOf(ann, link, { after })).toEqual(all.slice(after));
      expect(await tableOf(ann, link, { after })).toEqual([header, ...table.slice(after)]);
    }
  });

  test("14 ranges are half-open, for files and pages, and add up with the statistics", async () => {
    const link = await ann.createLink();
    await recordMany(link, 50);
    const time = (i: number, ms = 0) => new Date(START + i * 1_000 + ms).toISOString();
    for (const [from, to] of [
      [0, 50],
      [10, 20],
      [20, 20],
      [49, 50],
      [50, 60],
    ] as const) {
      const range = { from: time(from), to: time(to) };
      const seqs = Array.from({ length: Math.max(Math.min(to, 50) - from, 0) }, (_, i) => from + i + 1);
      expect((await rowsOf(ann, link, range)).map(({ seq }) => seq)).toEqual(seqs);
      const page = await ann.clicks(link, { ...range, limit: "7" });
      expect(page.data.map(({ seq }) => seq)).toEqual(seqs.slice(0, 7));
      expect(page.has_more).toBe(seqs.length > 7);
      expect((await ann.stats(link, range)).total).toBe(seqs.length);
    }
    expect((await rowsOf(ann, link, { from: time(10, 1), to: time(12, 1) })).map(({ seq }) => seq)).toEqual([12, 13]);
    expect((await rowsOf(ann, link, { from: time(10), after: 30, to: time(40) })).map(({ seq }) => seq)).toEqual([
      31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    ]);
    expect((await ann.clicks(link, { from: time(40), after: "5" })).data[0]?.seq).toBe(41);
  });

  test("14 a range that was exported gets no more clicks", async () => {
    const link = await ann.createLink();
    await recordClicks(link, [{ at: Date.now() - 20_000, class: "human", qr: "", rule: "" }]);
    const to = new Date(Date.now() - 5_000).toISOString();
    expect(await rowsOf(ann, link, { to })).toHaveLength(1);
    await recordClicks(link, [{ at: Date.now() - 10_000, class: "human", qr: "", rule: "" }]);
    expect(await rowsOf(ann, link, { to })).toHaveLength(1);
    expect(await rowsOf(ann, link, { from: to })).toHaveLength(1);
  });

  test("14 limit ends an export after that number of rows", async () => {
    const link = await ann.createLink();
    await recordMany(link, 30);
    expect((await rowsOf(ann, link, { after: 5, limit: 10 })).map(({ seq }) => seq)).toEqual([
      6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ]);
    expect(await rowsOf(ann, link, { limit: 1 })).toHaveLength(1);
    expect(await rowsOf(ann, link, { limit: 1_000_000 })).toHaveLength(30);
  });

  test("14 a link without clicks has a header and nothing else, and stores nothing", async () => {
    const link = await ann.createLink();
    expect(await textOf(await open(ann, link, NDJSON))).toBe("");
    expect(await textOf(await open(ann, link, CSV))).toBe(`${CLICK_COLUMNS.join(",")}\r\n`);
    expect(await textOf(await open(ann, link, NDJSON, { after: 7, to: "2030-01-01T00:00:00Z" }))).toBe("");
  });

  test("14 files have a name and a type, and are not cached; HEAD has the same headers", async () => {
    const link = await ann.createLink({ slug: "Spring_Sale-2026" });
    await recordMany(link, 3);
    for (const [accept, type, name] of [
      [CSV, "text/csv", "csv"],
      [NDJSON, "application/x-ndjson", "ndjson"],
    ] as const) {
      const expected = {
        "content-type": `${type}; charset=utf-8`,
        "content-disposition": `attachment; filename="Spring_Sale-2026-clicks.${name}"`,
        "cache-control": "no-store",
        vary: "Accept",
        "x-content-type-options": "nosniff",
      };
      const reply = await open(ann, link, accept);
      await reply.body?.cancel();
      expect(Object.fromEntries(reply.headers)).toMatchObject(expected);
      const head = await ann.call("HEAD", clicksPath(link), undefined, accept);
      expect([head.status, head.body]).toEqual([200, ""]);
      expect(Object.fromEntries(head.headers)).toMatchObject(expected);
    }
    const page = await ann.call("GET", clicksPath(link));
    expect(page.headers.get("Vary")).toBe("Accept");
    expect(page.headers.get("Content-Type")).toBe("application/json");
  });

  test("14 clicks received in the meantime are not included", async () => {
    const link = await ann.createLink({ url: `https://example.com/${"d".repeat(7_000)}` });
    await recordMany(link, 500);
    const body = (await open(ann, link, NDJSON)).body;
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    await recordMany(link, 100);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text.split("\n")).toHaveLength(501);
    expect(await rowsOf(ann, link, { after: 500 })).toHaveLength(100);
  });
});

describe("14 exports that end early", () => {
  const long = { url: `https://example.com/${"d".repeat(7_000)}` };
  const auth = { Authorization: `Bearer ${ann.key}`, ...NDJSON };

  test("14 nothing is read ahead of the client, and nothing after it disconnects", async () => {
    const link = await ann.createLink(long);
    await recordMany(link, 1_000);
    const { LINK_CLICKS, asked } = objectsWith(link);
    const response = await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth });
    expect(asked).toHaveLength(1);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(asked).toHaveLength(1);
    await reader?.read();
    expect(asked).toHaveLength(2);
    await reader?.cancel();
    await Promise.resolve();
    expect(asked).toHaveLength(2);
    // Its slot is free again, and so is that of every later client that disconnects.
    for (let i = 0; i < 6; i++) {
      const abandoned = await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth });
      expect(abandoned.status).toBe(200);
      await abandoned.body?.cancel();
    }
  });

  test("14 a failed page is requested again, and the export is complete", async () => {
    const link = await ann.createLink(long);
    await recordMany(link, 500);
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const { LINK_CLICKS, asked } = objectsWith(link, (call, ask) => (call % 2 === 1 ? lost() : ask()));
    const response = await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth });
    const text = await textOf(response);
    expect(text.split("\n")).toHaveLength(501);
    expect(asked.length).toBeGreaterThan(6);
  });

  test("14 a failing object breaks the connection, and the export resumes after the last row", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const link = await ann.createLink(long);
    await recordMany(link, 500);
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const { LINK_CLICKS } = objectsWith(link, (call, ask) => (call > 2 ? lost() : ask()));
    const response = await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth });
    const { text, error } = await readUntilBroken(response);
    expect(error).toMatch(/Network connection lost/);
    const rows = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as WireClick);
    const last = rows.at(-1)?.seq ?? 0;
    expect(last).toBe(rows.length);
    expect(last).toBeLessThan(500);
    const rest = await rowsOf(ann, link, { after: last });
    expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 500 - last }, (_, i) => last + i + 1));
  });

  test("14 a failure before the first row is a 503", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const link = await ann.createLink();
    for (const answer of [
      () => Promise.reject(Object.assign(new Error("reset"), { retryable: true })),
      () => Promise.resolve({ kind: "unavailable" }),
      // From an object that still runs the previous release.
      () => Promise.reject(new TypeError('The RPC receiver does not implement the method "exportClicks".')),
    ]) {
      const { LINK_CLICKS } = objectsWith(link, answer);
      const reply = await readResponse(await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth }));
      expect(errorOf(reply)).toMatchObject({ status: 503, code: "unavailable" });
      expect(reply.headers.get("Retry-After")).toBe("5");
    }
  });

  test("14 an erasure of the clicks breaks it", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const link = await ann.createLink(long);
    await recordMany(link, 500);
    const { LINK_CLICKS } = objectsWith(link);
    const response = await fetchWith({ LINK_CLICKS }, clicksPath(link), { headers: auth });
    const snapshot = await objectOf(link).snapshot();
    if (!snapshot) throw new Error("no snapshot");
    await objectOf(link).erase({ ...snapshot, state: "deleted", revision: 2 });
    expect((await readUntilBroken(response)).error).toMatch(/erased/);
  });

  test("14 a revocation of the key breaks it", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const bob = await premiumAccount();
    const link = await bob.createLink(long);
    await recordMany(link, 500);
    freezeClockAt(Date.now());
    const response = await fetchWith({}, clicksPath(link), {
      headers: { ...auth, Authorization: `Bearer ${bob.key}` },
    });
    await env.DB.prepare("UPDATE api_keys SET revoked_at = ?2 WHERE account_id = ?1")
      .bind(bob.accountId, Date.now())
      .run();
    freezeClockAt(Date.now() + 10_000);
    expect((await readUntilBroken(response)).error).toMatch(/access/);
  });

  test("14 more clicks than fit in one response are refused until limit gives their number", async () => {
    const link = await ann.createLink();
    const mix = new ClickMix();
    for (let i = 0; i < 51; i++) await recordClicks(link, mix.batch(START + i * 60_000, 1_000));
    const { LINK_CLICKS, asked } = objectsWith(link);
    const send = (query: Record<string, number> = {}) => {
      const request = new Request(BASE_URL + clicksPath(link, query), { headers: auth });
      return service.fetch(request, { ...env, LINK_CLICKS, WORKERS_PLAN: "free" } as Env, createExecutionContext());
    };
    const refused = await readResponse(await send());
    expect(errorOf(refused)).toMatchObject({
      status: 422,
      code: "validation_failed",
      param: "limit",
      errors: [{ path: "limit", code: "required" }],
    });
    const tooMany = await readResponse(await send({ limit: 50_001 }));
    expect(errorOf(tooMany)).toMatchObject({
      status: 422,
      param: "limit",
      errors: [{ path: "limit", code: "too_big" }],
    });
    asked.length = 0;
    const response = await send({ limit: 50_000 });
    expect((await textOf(response)).split("\n")).toHaveLength(50_001);
    expect(asked.length).toBeLessThanOrEqual(OBJECT_CALLS_MAX.free);
    const rest = await send({ after: 50_000 });
    expect((await textOf(rest)).split("\n")).toHaveLength(1_001);
  });
});

describe("14 permission and format of exports", () => {
  test("1 clicks of another account or the other mode are not exported", async () => {
    const link = await ann.createLink();
    for (const stranger of [await premiumAccount(), await ann.withKey("test")]) {
      for (const accept of [CSV, NDJSON]) {
        const reply = await stranger.call("GET", clicksPath(link), undefined, accept);
        expect(errorOf(reply)).toMatchObject({ status: 404, code: "link_not_found" });
      }
    }
    const unscoped = await ann.withKey("live", ["links:read"]);
    const reply = await unscoped.call("GET", clicksPath(link), undefined, CSV);
    expect(errorOf(reply)).toMatchObject({ status: 403, code: "insufficient_scope", param: "stats:read" });
  });

  test.for([
    [{ after: "-1" }, "after"],
    [{ limit: "0" }, "limit"],
    [{ limit: "10000001" }, "limit"],
    [{ from: "yesterday" }, "from"],
    [{ from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "from"],
    [{ format: "csv" }, "format"],
  ] as const)("14 %o answers 422 and names the parameter", async ([query, param]) => {
    const link = await ann.createLink();
    for (const accept of [CSV, NDJSON, {}]) {
      const reply = await ann.call("GET", clicksPath(link, query), undefined, accept);
      expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param });
    }
  });

  test.for([
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
    ["image/png", "application/json"],
    ["application/*", "application/json"],
    ["text/csv;q=0.5, application/json", "application/json"],
    ["text/csv;q=0", "application/json"],
    ["text/csv", "text/csv; charset=utf-8"],
    ["Text/CSV; charset=utf-8", "text/csv; charset=utf-8"],
    ["text/*", "text/csv; charset=utf-8"],
    ["text/csv, */*;q=0.1", "text/csv; charset=utf-8"],
    ["application/x-ndjson, text/csv;q=0.9, application/json;q=0.1", "application/x-ndjson; charset=utf-8"],
  ] as const)("14 Accept: %s gets %s", async ([accept, type]) => {
    const link = await ann.createLink();
    const reply = await open(ann, link, { Accept: accept });
    await reply.body?.cancel();
    expect([reply.status, reply.headers.get("Content-Type")]).toEqual([200, type]);
  });
});

/** @returns the text received before the connection broke, and the error message */
