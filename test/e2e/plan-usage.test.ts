/**
 * How much redirects, visits to the dashboard and streams use of the quotas of Workers' Free plan. Each isolate is a
 * separate workerd Worker that starts cold, and the objects have another. The figures of a day assume that every
 * redirect is the only one in its isolate.
 */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { streamLimits } from "../../src/core/deployment/settings.ts";
import { HOUR_MS } from "../../src/core/time.ts";
import measured from "../../src/core/costs/measured.json" with { type: "json" };
import type { Link } from "../../src/core/contract/links.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { FREE_REPORTS_PER_MINUTE } from "../../src/core/metrics/metrics.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { HttpSession } from "../support/http-session.ts";
import { overviewCalls, withRange } from "../support/overview-calls.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";
import type { IsolateUsage } from "./usage-worker.ts";

vi.setConfig({ testTimeout: 120_000 });

/**
 * Quotas per day: https://developers.cloudflare.com/workers/platform/limits/, d1/platform/pricing/,
 * durable-objects/platform/pricing/ and kv/platform/limits/. D1 and objects have a row quota each; here they share one.
 */
const QUOTAS = {
  workerRequests: 100_000,
  objectRequests: 100_000,
  rowsWritten: 100_000,
  rowsRead: 5_000_000,
  keyReads: 100_000,
  keyWrites: 1_000,
};

type Usage = Record<keyof typeof QUOTAS, number>;
const USAGE_NAMES = Object.keys(QUOTAS) as (keyof Usage)[];

const DAY_MINUTES = 24 * 60;
/** One job per minute and one per day, which takes a request of each kind as well. */
const DAY_CRON_RUNS = DAY_MINUTES + 1;
const DAY_REDIRECTS = 60_000;
const DAY_FIRST_CLICKS = 10_000;

const ISOLATES = ["first", "later", "ten", "cron"];
const OBJECTS = ["LINK_CLICKS", "ACCOUNT_CLICKS", "ACCOUNT_FEED", "MAINTENANCE", "SERVICE", "IMAGE_OBJECTS"];
const VISITOR = { "CF-Connecting-IP": "192.0.2.1", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0" };

let workerd: Workerd;
let url: string;
let api: ApiClient;

beforeAll(async () => {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  url = `http://${host}`;
  const code = await bundleModules("test/e2e/usage-worker.ts");
  const bindings = (objectsIn?: string) => bindingsOf(host, { WORKERS_PLAN: "free", SIGNUPS: "open" }, objectsIn);
  workerd = await Workerd.start([
    { name: "service", code, port, ...bindings("objects") },
    { name: "objects", code, ...bindings() },
    ...ISOLATES.map((name) => ({ name, code, ...bindings("objects") })),
  ]);
  const DB = await workerd.migratedDatabase("service");
  const { id } = await newTestAccount({ DB });
  api = new ApiClient(url, await issueKeyText({ DB }, id, "live", "test"));
  // Creates the salts of visitors' hashes, which exist long before any day begins.
  await workerd.runCron("service");
});

afterAll(() => workerd.stop());

async function usageIn(isolate: string): Promise<IsolateUsage> {
  return (await (await (await workerd.worker(isolate)).fetch(`${url}/.usage`)).json()) as IsolateUsage;
}

/** Usage of the isolate and of the objects by `work`, which makes `workerRequests` requests to the isolate. */
async function usageOf(isolate: string, workerRequests: number, work: () => Promise<void>): Promise<Usage> {
  const read = async () => [await usageIn(isolate), await usageIn("objects")];
  const before = await read();
  await work();
  const after = await read();
  const taken = (of: (usage: IsolateUsage) => number) =>
    after.reduce((sum, usage) => sum + of(usage), 0) - before.reduce((sum, usage) => sum + of(usage), 0);
  const callsTo = (name: string) => taken((usage) => usage.callsTo[name] ?? 0);
  return {
    workerRequests,
    objectRequests: OBJECTS.reduce((sum, name) => sum + callsTo(name), 0) + taken(({ alarms }) => alarms),
    rowsWritten: taken((usage) => usage.rowsWritten),
    rowsRead: taken((usage) => usage.rowsRead),
    keyReads: callsTo("VISITOR_SALTS"),
    keyWrites: callsTo("VISITOR_SALTS.put"),
  };
}

/** Visits, each after all work started by the previous one is done. */
function redirectsIn(isolate: string, { short_url }: Link, times = 1): Promise<Usage> {
  return usageOf(isolate, times, async () => {
    const worker = await workerd.worker(isolate);
    for (let i = 0; i < times; i++) {
      expect((await worker.fetch(short_url, { redirect: "manual", headers: VISITOR })).status).toBe(302);
      await eventually(async () => (await usageIn(isolate)).pending === 0, "the click is stored");
    }
  });
}

/** Sum of the usages, each multiplied by `times`. */
function sum(...parts: readonly (readonly [times: number, usage: Partial<Usage>])[]): Usage {
  const total = (name: keyof Usage) => parts.reduce((all, [times, usage]) => all + times * (usage[name] ?? 0), 0);
  return Object.fromEntries(USAGE_NAMES.map((name) => [name, total(name)])) as Usage;
}

test("a redirect alone in its isolate makes one request of each kind; a day of them is within every quota", async () => {
  const link = await api.createLink();
  const once = {
    workerRequests: 1,
    objectRequests: measured["object requests for a lone click"],
    keyReads: measured["keys read for a lone redirect"],
  };
  const first = await redirectsIn("first", link);
  expect(first).toMatchObject({ ...once, rowsWritten: measured["rows written for the first click"] });
  await workerd.evict("objects", "LinkClicks", addressObjectName(link.domain, link.slug));
  const later = await redirectsIn("later", link);
  expect(later).toMatchObject({ ...once, rowsWritten: Math.round(measured["rows written for a lone click"]) });
  const cron = await usageOf("cron", 1, () => workerd.runCron("cron"));
  expect(cron).toMatchObject({ objectRequests: 1, rowsWritten: 0, keyReads: 0 });

  const day = sum(
    [DAY_REDIRECTS - DAY_FIRST_CLICKS, later],
    [DAY_FIRST_CLICKS, first],
    [DAY_CRON_RUNS, cron],
    [DAY_MINUTES * FREE_REPORTS_PER_MINUTE, { objectRequests: 1, rowsWritten: 1 }],
  );
  for (const name of USAGE_NAMES) expect(day[name], name).toBeLessThan(QUOTAS[name]);
});

test("ten redirects in one isolate read the salt once and report nothing", async () => {
  const visited = await redirectsIn("ten", await api.createLink(), 10);
  expect(visited).toMatchObject({ objectRequests: 10, keyReads: 1 });
  expect(visited.rowsWritten).toBe(measured["rows written for the first click"] + 9);
});

test("the deployment guide states the usage of a dashboard visit and of an hour of a stream", async () => {
  const ann = new HttpSession(url);
  await ann.signUp();
  const { id } = (await ann.send("POST", "/dashboard/api/links", { url: "https://example.com/" })).body as Link;
  const open = async (path: string) => {
    const response = await ann.open("GET", `/dashboard/api${withRange(path)}`);
    expect(response.status, path).toBe(200);
    if (!path.startsWith("/events/")) return void (await response.arrayBuffer());
    // Stays open, because its end writes a row at an unpredictable time.
    const reader = response.body?.getReader();
    for (let text = ""; !text.includes("event: ready");) {
      const { value } = (await reader?.read()) ?? {};
      if (!value) throw new Error("the stream has ended");
      text += Buffer.from(value).toString();
    }
  };
  const calls = overviewCalls(id);
  const visit = () => usageOf("service", calls.length, async () => void (await Promise.all(calls.map(open))));
  const [first, later] = [await visit(), await visit()];
  const stream = await usageOf("service", 1, () => open("/events/stream"));
  const guide = readFileSync("src/docs/deploy.md", "utf8");
  const end = { rowsWritten: 1 };
  const streams = HOUR_MS / streamLimits({}).lifetimeMs;
  for (const [what, used] of [
    ["the first visit to the dashboard, of an account with a link", sum([1, first], [1, end])],
    ["a later visit to it", sum([1, later], [1, end])],
    ["an hour of a live stream", sum([streams, stream], [streams, end])],
  ] as const) {
    const [, cells = ""] = guide.split(`\n| ${what} |`);
    const atMost = cells.split("|", 4).map(Number);
    for (const [i, name] of (["workerRequests", "objectRequests", "rowsWritten", "keyReads"] as const).entries()) {
      expect(used[name], `${name} of ${what}`).toBeLessThanOrEqual(atMost[i] ?? NaN);
      expect(used[name], `${name} of ${what}`).toBeGreaterThanOrEqual(0.8 * (atMost[i] ?? NaN));
    }
  }
});
