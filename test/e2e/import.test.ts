/** `npm run import` against a running server: every format twice, and runs that are cut, slowed down and refused. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ImportUndo } from "../../src/core/contract/click-imports.ts";
import { type Link, LinkPage } from "../../src/core/contract/links.ts";
import { Stats } from "../../src/core/contract/stats.ts";
import { importApi } from "../../src/cli/import/api.ts";
import { readClicks, readSums, type Spill } from "../../src/core/imports/read-history.ts";
import type { ImportOptions } from "../../src/core/imports/plan-import.ts";
import { readExport } from "../../src/core/imports/read-export.ts";
import { type ImportReport, runImport } from "../../src/core/imports/run-import.ts";
import { FORMAT_NAMES, type FormatName, SERVICES } from "../../src/core/imports/services.ts";
import { shortOrLong } from "../faults/suite-length.ts";
import { ApiClient } from "../support/api-client.ts";
import type { DevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { clickFile, exportFile } from "../support/export-files.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { sharedServer } from "../support/shared-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** `FAULTS=long` imports ten thousand of each format, which takes a quarter of an hour. */
const LINKS = shortOrLong(500, 10_000);
const RUN_MS = 600_000;

let server: DevServer;
let folder: string;

beforeAll(async () => {
  server = await sharedServer();
  folder = mkdtempSync(join(tmpdir(), "hoplink-import-"));
});

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

interface Run {
  code: number | null;
  /** Output for people. */
  said: string;
  report: Omit<ImportReport, "notSent"> & { not_sent: number; dry_run: boolean };
}

function begin(file: string, args: readonly string[], base = server.base, key = server.accounts.Premium.live) {
  const command = ["src/cli/import/import.ts", file, "--key", key, "--url", base, "--json", ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  return { child, ended: ending(child) };
}

async function ending(child: ChildProcess): Promise<Run> {
  let [out, said] = ["", ""];
  child.stdout?.on("data", (part) => (out += part));
  child.stderr?.on("data", (part) => (said += part));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, said, report: out === "" ? null : JSON.parse(out.trim().split("\n").at(-1) ?? "") };
}

const run = (...args: Parameters<typeof begin>) => begin(...args).ended;

interface Import extends Partial<ImportOptions> {
  isDryRun?: boolean;
  key?: string;
  /** A file of single clicks; "" for the sums in the file of links. */
  clicks?: string;
}

/** Imports as the command does, without the seconds that a process takes to start. */
async function importText(
  text: string,
  { isDryRun = false, key, clicks, ...more }: Import = {},
): Promise<ImportReport> {
  const file = readExport(new TextEncoder().encode(text), null);
  if ("problem" in file) throw new Error(file.problem);
  const { signal } = new AbortController();
  const owned = key ?? server.accounts.Premium.live;
  const api = importApi({ base: server.base, key: owned, signal, onWait: () => {} });
  const unset = { domain: null, domains: new Map<string, string>(), withoutRules: false, withoutPasswords: false };
  const account = await api.account();
  const options = { ...unset, forwardQuery: false, update: false, ...more };
  const importId = `imp_${createHash("sha256")
    .update(clicks || text)
    .digest("hex")
    .slice(0, 32)}`;
  const reading = { importId, account, options, spill, now: Date.now() };
  const history = clicks ? await readClicks(file, Readable.from([Buffer.from(clicks)]), reading) : null;
  return runImport(file, {
    api,
    account,
    options,
    isDryRun,
    now: Date.now(),
    history: clicks === "" ? readSums(file, importId, Date.now()) : history,
    signal,
    onProgress: () => {},
  });
}

const spill: Spill = async (parts) => {
  const bytes = Buffer.concat(parts);
  return async (start, end) => bytes.subarray(start, end).toString();
};

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The links whose slug begins with `mark`, with all their fields. */
async function linksOf(mark: string): Promise<string[]> {
  const api = new ApiClient(server.base, server.accounts.Premium.live);
  const links: string[] = [];
  for (let cursor = ""; ;) {
    const query = new URLSearchParams({ search: `${mark}-`, limit: "100", ...(cursor === "" ? {} : { cursor }) });
    const page = LinkPage.parse(await api.call("GET", `/v1/links?${query}`));
    links.push(...page.data.map((link) => JSON.stringify(link)));
    if (page.next_cursor === null) return links.sort();
    cursor = page.next_cursor;
  }
}

const nothing = { created: 0, updated: 0, unchanged: 0, differs: [], refused: [], stopped: null };
const complete = { ...nothing, notSent: 0, withoutPassword: [], history: null };
const host = () => new URL(server.base).host;
const here = () => ["--domain", host()];

test.each(FORMAT_NAMES)(
  "an export of %s is imported, and the second time nothing changes",
  { timeout: RUN_MS * 2 },
  async (format) => {
    const mark = `e2e-${format}`;
    const text = exportFile(format, LINKS, mark);
    const domain = host();
    expect(await importText(text, { domain, isDryRun: true })).toEqual({ ...complete, created: LINKS });
    expect(await linksOf(mark)).toEqual([]);
    const seconds: number[] = [];
    const timed = async (work: Promise<ImportReport>) => {
      const began = performance.now();
      const report = await work;
      seconds.push(Math.round((performance.now() - began) / 1_000));
      return report;
    };
    expect(await timed(importText(text, { domain }))).toEqual({ ...complete, created: LINKS });
    const links = await linksOf(mark);
    expect(links).toHaveLength(LINKS);
    expect(await timed(importText(text, { domain }))).toEqual({ ...complete, unchanged: LINKS });
    expect(await linksOf(mark)).toEqual(links);
    console.log(`${format}: ${LINKS} links in ${seconds[0]} s, again in ${seconds[1]} s`);
  },
);

test("a link that differs is left unchanged, or changed on request; a refused one is reported by its line", async () => {
  const rows = (title: string) =>
    [
      "keyword,url,title",
      `told-a,https://example.com/a,${title}`,
      "told-b,https://example.com/b,B",
      "told b,https://example.com/,C",
      "Told-A,https://example.com/other,D",
    ].join("\n");
  const first = await run(fileWith("told.csv", rows("A")), []);
  const refused = [
    { at: 4, address: "/told b", reason: expect.stringContaining("Slug must"), advice: expect.any(String) },
    { at: 5, address: "/Told-A", reason: expect.stringContaining("line 2 (told-a)"), advice: expect.any(String) },
  ];
  expect(first.report, first.said).toMatchObject({ ...nothing, created: 2, refused, not_sent: 0, dry_run: false });
  expect(first.code).toBe(1);
  expect(first.said).toMatch(/^line 4: \/told b: Slug must contain .+\. Create it by hand/m);

  const before = await linksOf("told");
  expect(await importText(rows("A2"))).toEqual({
    ...complete,
    unchanged: 1,
    refused,
    differs: [{ at: 2, address: "/told-a", members: ["title"] }],
  });
  expect(await linksOf("told")).toEqual(before);
  expect(await importText(rows("A2"), { update: true })).toEqual({ ...complete, unchanged: 1, updated: 1, refused });
  expect((await linksOf("told")).filter((link) => link.includes('"title":"A2"'))).toHaveLength(1);
});

test("a slug of another account, or of a deleted link, is refused without revealing anything about it", async () => {
  const theirs = new ApiClient(server.base, server.accounts.Free.live);
  await theirs.createLink({ slug: "owned-0", url: "https://example.com/secret" });
  const ours = new ApiClient(server.base, server.accounts.Premium.live);
  const { id } = await ours.createLink({ slug: "owned-1" });
  await ours.call("DELETE", `/v1/links/${id}`);
  const report = await importText(exportFile("yourls", 3, "owned"));
  const taken = { reason: expect.stringContaining("taken on"), advice: expect.any(String) };
  expect(report).toEqual({
    ...complete,
    created: 1,
    refused: [
      { at: 1, address: "/owned-0", ...taken },
      { at: 2, address: "/owned-1", ...taken },
    ],
  });
});

test("the Free plan accepts links without their rules", async () => {
  const text = exportFile("dub", 2, "free");
  const free = { domain: host(), key: server.accounts.Free.live };
  expect(await importText(text, free)).toMatchObject({
    ...complete,
    created: 1,
    refused: [{ at: 1, address: "go.example.com/free-0" }],
  });
  expect(await importText(text, { ...free, withoutRules: true })).toEqual({ ...complete, created: 1, unchanged: 1 });
});

test("17 known passwords and preview cards are kept; a link whose password is not known is paused and listed", async () => {
  const domain = host();
  const dub = { id: "link_1", domain: "go.example.com", url: "https://example.com/", proxy: true, title: "A card" };
  const known = {
    ...dub,
    key: "locked-known",
    shortLink: "https://go.example.com/locked-known",
    password: "open sesame",
  };
  const text = JSON.stringify([known]);
  expect(await importText(text, { domain })).toEqual({ ...complete, created: 1 });
  expect(await importText(text, { domain })).toEqual({ ...complete, unchanged: 1 });
  const kutt = JSON.stringify([{ address: "locked-unknown", target: "https://example.com/", password: true }]);
  const withoutPassword = [{ at: 1, address: "/locked-unknown" }];
  expect(await importText(kutt, { domain })).toEqual({ ...complete, created: 1, withoutPassword });
  const links = (await linksOf("locked"))
    .map((link): Link => JSON.parse(link))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
  expect(links).toMatchObject([
    { slug: "locked-known", password_protected: true, social: { title: "A card" } },
    { slug: "locked-unknown", paused: true },
  ]);
  expect(links[0]).not.toHaveProperty("paused");
  const visit = (slug: string) => fetch(`${server.base}/${slug}`, { redirect: "manual" });
  expect([(await visit("locked-known")).status, (await visit("locked-unknown")).status]).toEqual([401, 404]);
});

test("an import that cannot begin says why", async () => {
  const good = fileWith("good.csv", "keyword,url\ngood,https://example.com/\n");
  const said = async (...args: Parameters<typeof begin>) => {
    const { code, said: text, report } = await run(...args);
    expect([code, report]).toEqual([2, null]);
    return text;
  };
  expect(await said(fileWith("notes.txt", "some text"), [])).toContain("does not look like an export file");
  const huge = fileWith("huge.csv", "keyword,url\n");
  truncateSync(huge, 200 * 1024 * 1024);
  expect(await said(huge, [])).toContain("The file has 200 MiB. The maximum is 64 MiB");
  expect(await said(good, ["--format", "excel"])).toContain("Allowed choices are dub");
  expect(await said(good, ["--map", "a"])).toContain("It must be OLD=NEW");
  expect(await said(good, [], server.base, "svc_live_wrong")).toContain("(401)");
});

/** A proxy in front of the server. It can respond itself, drop a response, or notify the test of a request. */
class Meddler {
  port = 0;
  posts = 0;
  /** @returns whether it has already responded to the request */
  onPost: (post: number, outgoing: ServerResponse) => boolean = () => false;
  /** Numbers of posts whose responses are dropped. */
  readonly lost = new Set<number>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #server: Server = createServer((incoming, outgoing) => {
    const forwarded = this.#forward(incoming, outgoing).finally(() => this.#underWay.delete(forwarded));
    this.#underWay.add(forwarded);
  });

  static async start(): Promise<Meddler> {
    const meddler = new Meddler();
    meddler.port = await listenOnFreePort(meddler.#server);
    return meddler;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Forwarded requests are done when it returns, even if their callers no longer wait for the answer. */
  async stop(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET" } = incoming;
    const post = method === "POST" || method === "PUT" ? ++this.posts : 0;
    const parts: Uint8Array[] = [];
    for await (const part of incoming) parts.push(part as Uint8Array);
    if (post > 0 && this.onPost(post, outgoing)) return;
    const { authorization = "", "idempotency-key": key } = incoming.headers;
    const response = await fetch(server.base + incoming.url, {
      method,
      headers: {
        Authorization: authorization,
        "Content-Type": "application/json",
        ...(typeof key === "string" ? { "Idempotency-Key": key } : {}),
      },
      ...(post > 0 ? { body: Buffer.concat(parts) } : {}),
    });
    const body = await response.text();
    if (this.lost.has(post)) outgoing.destroy();
    else outgoing.writeHead(response.status, { "Content-Type": "application/json" }).end(body);
  }
}

describe("on a bad connection", { timeout: RUN_MS }, () => {
  test("a lost answer, a failure and a rate limit are waited out, and no link is created twice", async () => {
    const meddler = await Meddler.start();
    meddler.lost.add(1);
    meddler.onPost = (post, outgoing) => {
      if (post === 3) outgoing.writeHead(429, { "Retry-After": "1" }).end('{"error":{"message":"Slow down"}}');
      if (post === 4) outgoing.writeHead(502).end("<html>");
      return post === 3 || post === 4;
    };
    const file = fileWith("lossy", exportFile("kutt", 250, "lossy"));
    const { report, said, code } = await run(file, here(), meddler.base);
    await meddler.stop();
    expect({ report, code }, said).toMatchObject({ report: { ...nothing, created: 250, not_sent: 0 }, code: 0 });
    expect(said).toContain("does not respond");
    expect(said).toContain("Slow down (429). Trying again in 1 s.");
    expect(await linksOf("lossy")).toHaveLength(250);
  });

  test.each(["SIGINT", "SIGKILL"] as const)(
    "a run that is ended by %s is resumed by the same command",
    async (signal) => {
      const mark = `cut-${signal.toLowerCase()}`;
      const file = fileWith(mark, exportFile("sink", 450, mark));
      const meddler = await Meddler.start();
      const first = begin(file, [], meddler.base);
      meddler.onPost = (post) => post === 3 && first.child.kill(signal) && false;
      const cut = await first.ended;
      await meddler.stop();
      const there = (await linksOf(mark)).length;
      expect(there).toBeGreaterThanOrEqual(200);
      expect(there).toBeLessThan(450);
      if (signal === "SIGINT") {
        expect(cut).toMatchObject({
          code: 1,
          report: { created: there, not_sent: 450 - there, stopped: "Cancelled." },
        });
        expect(cut.said).toContain("Run the same command again to continue.");
      }
      expect(await importText(exportFile("sink", 450, mark))).toEqual({
        ...complete,
        created: 450 - there,
        unchanged: there,
      });
      expect(await linksOf(mark)).toHaveLength(450);
    },
  );
});

describe("17 click history", { timeout: RUN_MS }, () => {
  /** Clicks of the links with these numbers. */
  const COUNTS: readonly number[] = [3, 1_200, 0];
  const api = () => new ApiClient(server.base, server.accounts.Premium.live);

  /** Clicks at Hoplink, and the other service's sums, by the slug's number. */
  async function historyOf(mark: string): Promise<[number, number | undefined][]> {
    const links = (await linksOf(mark))
      .map((text): Link => JSON.parse(text))
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    return Promise.all(
      links.map(async ({ id, clicks_before }) => [
        Stats.parse(await api().call("GET", `/v1/links/${id}/stats?from=2024-01-01T00:00:00Z&include_bots=true`)).total,
        clicks_before?.clicks,
      ]),
    );
  }

  const CLICK_FORMATS = FORMAT_NAMES.filter((format) => SERVICES[format].clicks);

  test.each(CLICK_FORMATS)("%s: single clicks, again, and undone", async (format) => {
    const mark = `clicks-${format}`;
    const text = exportFile(format, COUNTS.length, mark);
    const run = { domain: host(), clicks: clickFile(format, mark, COUNTS) };
    const imported = { clicks: 1_203, links: 2, unmatched: 0, unreadable: 0, refused: [] };
    expect(await importText(text, { ...run, isDryRun: true })).toMatchObject({ created: 3, history: imported });
    expect((await importText(text, run)).history).toMatchObject(imported);
    const sums = COUNTS.map((count) => [count, undefined]);
    expect(await historyOf(mark)).toEqual(sums);
    const again = await importText(text, run);
    expect(again).toMatchObject({ unchanged: 3, history: imported });
    expect(await historyOf(mark)).toEqual(sums);
    await undo(again.history?.id ?? "");
    expect(await historyOf(mark)).toEqual(COUNTS.map(() => [0, undefined]));
    expect((await importText(text, run)).history).toMatchObject(imported);
    expect(await historyOf(mark)).toEqual(sums);
  });

  const SUM_FORMATS: readonly FormatName[] = ["bitly", "kutt", "rebrandly"];

  test.each(SUM_FORMATS)("%s: sums, again, and undone", async (format) => {
    const mark = `sums-${format}`;
    const text = exportFile(format, 3, mark);
    const run = { domain: host(), clicks: "" };
    const imported = { clicks: 3, links: 2, refused: [] };
    expect((await importText(text, run)).history).toMatchObject(imported);
    expect(await historyOf(mark)).toEqual([
      [0, undefined],
      [0, 1],
      [0, 2],
    ]);
    const again = await importText(text, run);
    expect(again).toMatchObject({ unchanged: 3, history: imported });
    await undo(again.history?.id ?? "");
    expect(await historyOf(mark)).toEqual([0, 1, 2].map(() => [0, undefined]));
  });

  test("a run that is interrupted between two requests of a link is resumed, and undone", async () => {
    const mark = "cut-clicks";
    const counts = [2_500, 1_500];
    const links = fileWith("clicks.sql", exportFile("yourls", 2, mark));
    const clicks = ["--clicks", fileWith("log.sql", clickFile("yourls", mark, counts))];
    const meddler = await Meddler.start();
    const first = begin(links, clicks, meddler.base);
    // The first creates the links; the others are of the first link.
    meddler.onPost = (post) => post === 3 && first.child.kill("SIGINT") && false;
    const cut = await first.ended;
    await meddler.stop();
    expect(cut.report, cut.said).toMatchObject({ stopped: "Cancelled." });
    const stored = (await historyOf(mark))[0]?.[0] ?? 0;
    expect(stored).toBeGreaterThanOrEqual(1_000);
    expect(stored).toBeLessThan(2_500);
    const second = await run(links, clicks);
    expect(second.code, second.said).toBe(0);
    expect(second.said).toContain("4,000 earlier clicks of 2 links imported");
    const id = /hoplink imports delete (imp_[0-9a-f]{32})/.exec(second.said)?.[1] ?? "";
    expect(second.report.history).toMatchObject({ id, clicks: 4_000 });
    expect((await historyOf(mark)).map(([total]) => total)).toEqual(counts);
    await undo(id);
    expect((await historyOf(mark)).map(([total]) => total)).toEqual([0, 0]);
  });

  test("a link that has been visited keeps its clicks, and others get their history", async () => {
    const mark = "visited";
    const text = exportFile("shlink", 2, mark);
    const clicks = clickFile("shlink", mark, [1, 2]);
    await importText(text, { domain: host() });
    await fetch(`${server.base}/${mark}-0`, { redirect: "manual" });
    await eventually(async () => (await historyOf(mark))[0]?.[0] === 1, "the click");
    expect((await importText(text, { domain: host(), clicks })).history).toMatchObject({
      clicks: 2,
      links: 1,
      refused: [{ at: 2, address: `go.example.com/${mark}-0`, reason: expect.stringContaining("click") }],
    });
    expect((await historyOf(mark)).map(([total]) => total)).toEqual([1, 2]);
  });
});

async function undo(id: string): Promise<void> {
  const api = new ApiClient(server.base, server.accounts.Premium.live);
  for (let left = 1; left > 0;) ({ remaining: left } = ImportUndo.parse(await api.call("DELETE", `/v1/imports/${id}`)));
}
