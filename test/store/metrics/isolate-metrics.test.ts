/** What an isolate counts, and how it reaches the operator: through the object that adds up all reports. */
import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import {
  FREE_REPORT_CHANCE,
  type MetricCounts,
  type MetricsReport,
  zeroCounts,
} from "../../../src/core/metrics/metrics.ts";
import { MetricsTable } from "../../../src/maintenance/metrics-table.ts";
import { readMetrics } from "../../../src/store/maintenance-client.ts";
import type * as IsolateMetrics from "../../../src/store/metrics/isolate-metrics.ts";
import { count, countMax, reportIfDue } from "../../../src/store/metrics/isolate-metrics.ts";
import { visitWithoutDatabase } from "../../support/database-down.ts";
import { BASE_URL, premiumAccount, visit } from "../../support/test-accounts.ts";

/** How long a report waits for counts that are still arriving. */
const GATHER_MS = 2_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LONGER_THAN_ANY_INTERVAL_MS = 11 * MINUTE_MS;

afterEach(() => vi.restoreAllMocks());

let passed = 0;

/** Sends a report as if time had passed, and waits for it. */
async function report(to: Env = env): Promise<void> {
  passMs(LONGER_THAN_ANY_INTERVAL_MS);
  count("lookups");
  await gathered((ctx) => reportIfDue(to, ctx));
  vi.restoreAllMocks();
}

const realNow = globalThis.performance.now.bind(globalThis.performance);

function passMs(ms: number): void {
  passed += ms;
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + passed);
}

const NO_CONTEXT = { waitUntil: () => expect.unreachable("a report began") };

/** Counts the reports that `work` begins, and waits for them. */
async function reportsOf(work: (ctx: Pick<ExecutionContext, "waitUntil">) => void): Promise<number> {
  let reports = 0;
  await gathered((ctx) =>
    work({
      waitUntil: (report) => {
        reports++;
        ctx.waitUntil(report);
      },
    }),
  );
  return reports;
}

// Begins the isolate's first minute.
reportIfDue(env, NO_CONTEXT);

/** Waits for the reports of `work`; the time in which a report gathers counts passes immediately. */
async function gathered(work: (ctx: ExecutionContext) => void): Promise<void> {
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((done, ms, ...rest) =>
    setTimeout(done, ms === GATHER_MS ? 0 : ms, ...rest),
  );
  const ctx = createExecutionContext();
  work(ctx);
  await waitOnExecutionContext(ctx);
}

/** Everything that the deployment has counted in the last hour. */
function totals(): Promise<MetricCounts> {
  return readMetrics(env, Date.now() - 60 * MINUTE_MS);
}

/** A binding to an object that stores reports, or fails to. */
function wayTo(addMetrics: (report: MetricsReport) => Promise<{ intervalMs: number }>): Env {
  return { ...env, MAINTENANCE: { getByName: () => ({ addMetrics }) } as unknown as Env["MAINTENANCE"] };
}

test("look-ups and stored clicks are counted and reported", async () => {
  const ann = await premiumAccount();
  const [link, ended] = [await ann.createLink(), await ann.createLink()];
  await ann.call("DELETE", `/v1/links/${ended.id}`);
  await report();
  const before = await totals();

  for (let i = 0; i < 3; i++) await visit(link.short_url);
  expect((await visit(`${BASE_URL}/no-such-link`)).status).toBe(404);
  expect((await visit(ended.short_url)).status).toBe(410);
  await ann.waitForClicks(3, link);
  await report();

  const after = await totals();
  const grown = (name: keyof MetricCounts) => after[name] - before[name];
  expect(grown("clicks")).toBe(3);
  expect(grown("batches")).toBeGreaterThanOrEqual(1);
  // Besides the one without which nothing would be reported.
  expect(grown("lookups") - 1).toBeGreaterThanOrEqual(2);
  expect([grown("unavailable"), grown("failed_lookups"), grown("dropped_clicks")]).toEqual([0, 0, 0]);
});

test("a failed look-up is counted, as is the visitor who got no redirect", async () => {
  await report();
  const before = await totals();
  const reply = await visitWithoutDatabase(`${BASE_URL}/never-seen`);
  expect(reply.status).toBe(503);
  await report();
  const after = await totals();
  expect(after.failed_lookups - before.failed_lookups).toBe(1);
  expect(after.unavailable - before.unavailable).toBe(1);
});

test("an isolate reports once a minute, however many requests it serves", async () => {
  const reports: MetricsReport[] = [];
  const to = wayTo(async (sent) => {
    reports.push(sent);
    return { intervalMs: MINUTE_MS };
  });
  await report(to);
  reports.length = 0;
  count("lookups", 3);
  count("clicks", 2);
  countMax("queue_max_ms", 40);
  countMax("queue_max_ms", 30);
  passed += MINUTE_MS;
  const at = performance.now() + passed;
  vi.spyOn(performance, "now").mockImplementation(() => at);
  await gathered((ctx) => {
    for (let i = 0; i < 1_000; i++) reportIfDue(to, ctx);
  });
  expect(reports).toEqual([
    { counts: expect.objectContaining({ lookups: 3, clicks: 2, queue_max_ms: 40 }), intervalMs: MINUTE_MS },
  ]);
});

test("an isolate whose only redirect is the present one reports nothing, whatever its age", async () => {
  await report();
  passMs(LONGER_THAN_ANY_INTERVAL_MS);
  reportIfDue(env, NO_CONTEXT);
});

test("the first report of an isolate comes in its second minute", async () => {
  const path = "../../../src/store/metrics/isolate-metrics.ts?of-a-new-isolate";
  const isolate = (await import(path)) as typeof IsolateMetrics;
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  passMs(0);
  isolate.reportIfDue(env, NO_CONTEXT);
  isolate.count("lookups");
  passMs(1.5 * MINUTE_MS - 1_000);
  isolate.reportIfDue(env, NO_CONTEXT);
  passMs(1_000);
  expect(await reportsOf((ctx) => isolate.reportIfDue(env, ctx))).toBe(1);
});

test("on the Free plan a redirect reports at random, even if a report is due", async () => {
  await report();
  count("lookups");
  passMs(LONGER_THAN_ANY_INTERVAL_MS);
  const free = { ...wayTo(async () => ({ intervalMs: MINUTE_MS })), WORKERS_PLAN: "free" } as unknown as Env;
  const chance = vi.spyOn(Math, "random").mockReturnValue(FREE_REPORT_CHANCE);
  reportIfDue(free, NO_CONTEXT);
  chance.mockReturnValue(FREE_REPORT_CHANCE - Number.EPSILON);
  expect(await reportsOf((ctx) => reportIfDue(free, ctx))).toBe(1);
});

test("counts of a report that failed are sent with the next", async () => {
  await report();
  count("overloads", 5);
  await report(wayTo(() => Promise.reject(new Error("Network connection lost."))));
  const before = await totals();
  await report();
  expect((await totals()).overloads - before.overloads).toBe(5);
});

/** A table in its own object. */
function inTable(name: string, use: (table: MetricsTable, sql: SqlStorage) => void): Promise<void> {
  return runInDurableObject(env.MAINTENANCE.getByName(name), (_, { storage }) => {
    use(new MetricsTable(storage.sql), storage.sql);
  });
}

const reportOf = (counts: Partial<MetricCounts>) => ({ counts: { ...zeroCounts(), ...counts }, intervalMs: MINUTE_MS });
const rowCount = (sql: SqlStorage) => sql.exec<{ n: number }>("SELECT count(*) AS n FROM metrics").one().n;

test("reports of one minute share a row, and a period adds up its minutes", async () => {
  await inTable("adds", (table, sql) => {
    const start = 1_000 * DAY_MS;
    expect(table.read(start)).toEqual(zeroCounts());
    table.add(reportOf({ lookups: 2, queue_max_ms: 9 }), start);
    table.add(reportOf({ lookups: 3, queue_max_ms: 4 }), start + 59_999);
    expect(rowCount(sql)).toBe(1);
    table.add(reportOf({ clicks: 1, queue_max_ms: 5 }), start + 14 * MINUTE_MS);
    expect(table.read(start)).toEqual({ ...zeroCounts(), lookups: 5, clicks: 1, queue_max_ms: 9 });
    expect(table.read(start + MINUTE_MS)).toEqual({ ...zeroCounts(), clicks: 1, queue_max_ms: 5 });
  });
});

test("rows are kept for eight days", async () => {
  await inTable("bounded", (table, sql) => {
    const start = 1_000 * DAY_MS;
    for (let minute = 0; minute < 3; minute++) table.add(reportOf({}), start + minute * MINUTE_MS);
    table.add(reportOf({}), start + 8 * DAY_MS + 2 * MINUTE_MS);
    expect(rowCount(sql)).toBe(2);
  });
});

test("with many isolates, each reports less often", async () => {
  await inTable("crowded", (table) => {
    const told = Array.from({ length: 300 }, () => table.add(reportOf({}), 0)).at(-1);
    expect(told).toBe(5 * MINUTE_MS);
    // A minute that has just begun does not count yet.
    expect(table.add(reportOf({}), MINUTE_MS)).toBe(5 * MINUTE_MS);
  });
});

test("the table from an earlier release gets its missing columns", async () => {
  await runInDurableObject(env.MAINTENANCE.getByName("earlier"), (_, { storage: { sql } }) => {
    sql.exec("CREATE TABLE metrics (minute INTEGER PRIMARY KEY, reports INTEGER NOT NULL, lookups INTEGER NOT NULL)");
    sql.exec("INSERT INTO metrics VALUES (60, 1, 8)");
    const table = new MetricsTable(sql);
    table.add(reportOf({ lookups: 1, clicks: 1 }), 60 * MINUTE_MS);
    expect(table.read(0)).toEqual({ ...zeroCounts(), lookups: 9, clicks: 1 });
  });
});
