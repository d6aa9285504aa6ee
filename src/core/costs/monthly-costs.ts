/**
 * Monthly Cloudflare costs of a deployment on the paid plan, from its traffic and the benchmark's counts. Pure.
 * Excludes API requests, which are few compared with visits, and certificates of customers' domains.
 */
import { REPORTS_PER_MINUTE } from "../metrics/metrics.ts";
import measured from "./measured.json" with { type: "json" };
import {
  CALL_GB_SECONDS,
  DASHBOARD_FILES,
  LOOK_UP_ROWS,
  OBJECT_METADATA_BYTES,
  PLAN_DOLLARS,
  PRICES,
  REDIRECT_CPU_MS,
  STORAGE_PRICES,
  VISITS_PER_LOG_EVENT,
} from "./prices.ts";

/** Monthly usage. */
export interface MonthlyUsage {
  visits: number;
  /** Percentage of clicks that are stored alone; the others are stored in batches of `BATCH_CLICKS`. */
  alonePercent: number;
  /** Links created. */
  links: number;
  /** QR codes created. */
  qrCodes: number;
  /** Hours during which an account has an open live stream. */
  streamHours: number;
  /** Visits to the dashboard. */
  dashboardVisits: number;
}

export interface Cost {
  name: "plan" | "redirects" | "clicks" | "links" | "streams" | "upkeep" | "storage";
  dollars: number;
}

/** @internal */
export const MONTH_HOURS = 730;
/**
 * Clicks and links are kept until they are deleted, so the storage bill is the one after this many months.
 * @internal
 */
export const STORED_MONTHS = 12;

/** The cron job that runs every minute: a request to the Worker and one to the maintenance object. */
const CRON_RUNS = MONTH_HOURS * 60;
/** Reports of isolates: each is a request to the maintenance object and a row. */
const REPORTS_MAX = REPORTS_PER_MINUTE * CRON_RUNS;
/** Isolates with fewer visits send no report. */
const REPORT_VISITS_MIN = 2;

const BATCH_CLICKS = 50;
const CLICK_IN_BATCH = `a click of ${BATCH_CLICKS}` as const;
const ALONE = {
  calls: measured["object requests for a lone click"],
  rowsWritten: measured["rows written for a lone click"],
  bytes: measured["stored for a lone click"],
};
const IN_BATCH = {
  calls: measured[`object requests for ${CLICK_IN_BATCH}`],
  rowsWritten: measured[`rows written for ${CLICK_IN_BATCH}`],
  bytes: measured[`stored for ${CLICK_IN_BATCH}`],
};
const FIRST_CLICK_ROWS = measured["rows written for the first click"];
/** Size of the object that a link's first click creates. @internal */
export const OBJECT_BYTES = measured["stored for the first click"] + OBJECT_METADATA_BYTES;

/**
 * A link writes its row, an entry in the address index and the account's count. A code writes its row and index entry,
 * and two counts.
 */
const LINK_ROWS = measured["rows written to create a link"];
const LINK_BYTES = measured["stored in the database for a link"];
const QR_CODE_ROWS = 4;
const QR_CODE_BYTES = 10_000;
/**
 * A call to the feed, which writes the event's row and the link's position, and an alarm of the link's object: a request,
 * and a row when it is set. Calls of a link within five seconds share an alarm, so this is the maximum.
 */
const ANNOUNCED = { calls: 2, rowsWritten: 3 };

/** @returns the parts of the bill, which add up to the total; included amounts are used up in this order */
export function monthlyCosts(usage: MonthlyUsage): Cost[] {
  const { visits, links, qrCodes } = usage;
  const bill = newBill();
  const batched = 1 - share(usage);
  const calls = visits * (share(usage) * ALONE.calls + batched * IN_BATCH.calls);
  const rows = visits * (share(usage) * ALONE.rowsWritten + batched * IN_BATCH.rowsWritten);
  const announced = calls * Math.min(usage.streamHours / MONTH_HOURS, 1);
  return [
    { name: "plan", dollars: PLAN_DOLLARS },
    {
      name: "redirects",
      dollars:
        bill("workerRequests", visits) +
        bill("workerCpuMs", visits * REDIRECT_CPU_MS) +
        bill("rowsRead", visits * LOOK_UP_ROWS, "database"),
    },
    { name: "clicks", dollars: objectCalls(bill, calls) + bill("rowsWritten", rows, "objects") },
    {
      name: "links",
      dollars:
        bill("rowsWritten", links * LINK_ROWS + qrCodes * QR_CODE_ROWS, "database") +
        bill("rowsWritten", links * FIRST_CLICK_ROWS, "objects") +
        bill("imagesStored", qrCodes),
    },
    {
      name: "streams",
      dollars:
        objectCalls(bill, announced * ANNOUNCED.calls) +
        bill("rowsWritten", announced * ANNOUNCED.rowsWritten, "objects"),
    },
    { name: "upkeep", dollars: upkeepDollars(bill, visits, usage.dashboardVisits) },
    { name: "storage", dollars: storedDollars(usage) },
  ];
}

/** Monthly cost of cron jobs, reports of isolates, log lines, and files of the dashboard. @internal */
export function upkeepDollars(bill: Bill, visits: number, dashboardVisits = 0): number {
  const reports = Math.min(visits / REPORT_VISITS_MIN, REPORTS_MAX);
  return (
    bill("workerRequests", CRON_RUNS + dashboardVisits * DASHBOARD_FILES) +
    objectCalls(bill, CRON_RUNS + reports) +
    bill("rowsWritten", reports, "objects") +
    bill("logEvents", visits / VISITS_PER_LOG_EVENT)
  );
}

export function totalDollars(costs: readonly Cost[]): number {
  return costs.reduce((sum, { dollars }) => sum + dollars, 0);
}

function objectCalls(bill: Bill, calls: number): number {
  return bill("objectRequests", calls) + bill("objectGbSeconds", calls * CALL_GB_SECONDS);
}

function storedDollars(usage: MonthlyUsage): number {
  const { visits, links, qrCodes } = usage;
  const clickBytes = share(usage) * ALONE.bytes + (1 - share(usage)) * IN_BATCH.bytes;
  return (
    storageDollars("objects", STORED_MONTHS * (visits * clickBytes + links * OBJECT_BYTES)) +
    storageDollars("database", STORED_MONTHS * links * LINK_BYTES) +
    storageDollars("images", STORED_MONTHS * qrCodes * QR_CODE_BYTES)
  );
}

function share({ alonePercent }: MonthlyUsage): number {
  return alonePercent / 100;
}

/** @returns dollars. @param product  the product whose included amount is used up; each has its own */
export type Bill = (item: keyof typeof PRICES, count: number, product?: string) => number;

const BYTES_PER_GB = 1e9;

/** Keeps track of earlier charges, because a month includes each amount only once. @internal */
export function newBill(): Bill {
  const used = new Map<string, number>();
  return (item, count, product = "") => {
    const { perMillion, included } = PRICES[item];
    const before = used.get(item + product) ?? 0;
    used.set(item + product, before + count);
    const charged = Math.max(before + count - included, 0) - Math.max(before - included, 0);
    return (charged / 1e6) * perMillion;
  };
}

/** Monthly storage cost. @internal */
export function storageDollars(place: keyof typeof STORAGE_PRICES, bytes: number): number {
  const { perGb, includedGb } = STORAGE_PRICES[place];
  return Math.max(bytes / BYTES_PER_GB - includedGb, 0) * perGb;
}

/** An input of the calculator; its value is stored in the query of the page's URL. */
interface UsageInput {
  label: string;
  /** The largest value; the smallest is 0. */
  max: number;
  /** Initial value. */
  usual: number;
}

export const USAGE_INPUTS: Record<keyof MonthlyUsage, UsageInput> = {
  visits: { label: "Visits per month", max: 1e12, usual: 10_000_000 },
  alonePercent: { label: "Clicks stored alone, in percent", max: 100, usual: 50 },
  links: { label: "New links per month", max: 1e9, usual: 10_000 },
  qrCodes: { label: "New QR codes per month", max: 1e9, usual: 1_000 },
  streamHours: { label: "Hours per month with an open live stream", max: MONTH_HOURS, usual: 0 },
  dashboardVisits: { label: "Visits to the dashboard per month", max: 1e9, usual: 1_000 },
};

export const USAGE_NAMES = Object.keys(USAGE_INPUTS) as (keyof MonthlyUsage)[];

/** Missing or invalid values default to the usual ones. */
export function parseUsage(search: URLSearchParams): MonthlyUsage {
  const parse = (name: keyof MonthlyUsage) => parseNumber(search.get(name), USAGE_INPUTS[name]);
  return Object.fromEntries(USAGE_NAMES.map((name) => [name, parse(name)])) as unknown as MonthlyUsage;
}

/** Omits values that equal the usual ones. */
export function writeUsage(usage: MonthlyUsage): URLSearchParams {
  const changed = USAGE_NAMES.filter((name) => usage[name] !== USAGE_INPUTS[name].usual);
  return new URLSearchParams(changed.map((name) => [name, String(usage[name])]));
}

function parseNumber(text: string | null, { max, usual }: UsageInput): number {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), max) : usual;
}
