/**
 * What a deployment costs a month on Cloudflare's paid plan, from its traffic and what the benchmark counts. Pure.
 * Left out: the API's and the dashboard's requests, which are few beside visits, and certificates of customers' domains.
 */
import measured from "./measured.json" with { type: "json" };
import { CALL_GB_SECONDS, LOOK_UP_ROWS, PLAN_DOLLARS, PRICES, REDIRECT_CPU_MS, STORAGE_PRICES } from "./prices.ts";

/** In a month. */
export interface MonthlyUsage {
  visits: number;
  /** Percent of the clicks that are stored alone; the others are in batches of `BATCH_CLICKS`. */
  alonePercent: number;
  /** Created. */
  links: number;
  /** Created. */
  qrCodes: number;
  /** Hours in which an account's live stream is open. */
  streamHours: number;
}

export interface Cost {
  name: "plan" | "redirects" | "clicks" | "links" | "streams" | "storage";
  dollars: number;
}

/** @internal */
export const MONTH_HOURS = 730;
/** Clicks and links are kept until they are deleted, so the bill for storage is that after so many months. @internal */
export const STORED_MONTHS = 12;

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
const FIRST_CLICK = {
  rowsWritten: measured["rows written for the first click"],
  bytes: measured["stored for the first click"],
};

/** A link: its row, the entry in the index of addresses, the account's count. A code: its row and index, two counts. */
const LINK_ROWS = measured["rows written to create a link"];
const LINK_BYTES = measured["stored in the database for a link"];
const QR_CODE_ROWS = 4;
const QR_CODE_BYTES = 10_000;
/** A call to the feed, which writes the event's row and the link's position. */
const ANNOUNCED = { calls: 1, rowsWritten: 2 };

/** @returns the parts of the bill, whose sum is the bill; what is included is subtracted in their order */
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
        bill("rowsWritten", links * FIRST_CLICK.rowsWritten, "objects") +
        bill("imagesStored", qrCodes),
    },
    {
      name: "streams",
      dollars:
        objectCalls(bill, announced * ANNOUNCED.calls) +
        bill("rowsWritten", announced * ANNOUNCED.rowsWritten, "objects"),
    },
    { name: "storage", dollars: storedDollars(usage) },
  ];
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
    storageDollars("objects", STORED_MONTHS * (visits * clickBytes + links * FIRST_CLICK.bytes)) +
    storageDollars("database", STORED_MONTHS * links * LINK_BYTES) +
    storageDollars("images", STORED_MONTHS * qrCodes * QR_CODE_BYTES)
  );
}

function share({ alonePercent }: MonthlyUsage): number {
  return alonePercent / 100;
}

/** @returns dollars. @param product  whose included amount is used up; each has one of its own */
export type Bill = (item: keyof typeof PRICES, count: number, product?: string) => number;

const BYTES_PER_GB = 1e9;

/** What was charged before counts: a month includes each amount once. @internal */
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

/** For a month. @internal */
export function storageDollars(place: keyof typeof STORAGE_PRICES, bytes: number): number {
  const { perGb, includedGb } = STORAGE_PRICES[place];
  return Math.max(bytes / BYTES_PER_GB - includedGb, 0) * perGb;
}

/** An input of the calculator; its values are the query of the page's address. */
interface UsageInput {
  label: string;
  /** The largest value; the smallest is 0. */
  max: number;
  /** What is shown at first. */
  usual: number;
}

export const USAGE_INPUTS: Record<keyof MonthlyUsage, UsageInput> = {
  visits: { label: "Visits a month", max: 1e12, usual: 10_000_000 },
  alonePercent: { label: "Clicks stored alone, in percent", max: 100, usual: 50 },
  links: { label: "New links a month", max: 1e9, usual: 10_000 },
  qrCodes: { label: "New QR codes a month", max: 1e9, usual: 1_000 },
  streamHours: { label: "Hours a month with a live stream open", max: MONTH_HOURS, usual: 0 },
};

export const USAGE_NAMES = Object.keys(USAGE_INPUTS) as (keyof MonthlyUsage)[];

/** What an address does not say, or says wrong, is as usual. */
export function parseUsage(search: URLSearchParams): MonthlyUsage {
  const parse = (name: keyof MonthlyUsage) => parseNumber(search.get(name), USAGE_INPUTS[name]);
  return Object.fromEntries(USAGE_NAMES.map((name) => [name, parse(name)])) as unknown as MonthlyUsage;
}

/** Without what is as usual. */
export function writeUsage(usage: MonthlyUsage): URLSearchParams {
  const changed = USAGE_NAMES.filter((name) => usage[name] !== USAGE_INPUTS[name].usual);
  return new URLSearchParams(changed.map((name) => [name, String(usage[name])]));
}

function parseNumber(text: string | null, { max, usual }: UsageInput): number {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), max) : usual;
}
