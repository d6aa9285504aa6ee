/**
 * What a deployment costs a month on Cloudflare's paid plan, from its traffic and what the benchmark counts. Pure.
 * Left out: the API's and the dashboard's requests, which are few beside visits, and certificates of customers' domains.
 */
import { CALL_GB_SECONDS, LOOK_UP_ROWS, PLAN_DOLLARS, PRICES, REDIRECT_CPU_MS, STORAGE_PRICES } from "./prices.ts";

/** In a month. */
export interface Usage {
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

export const MONTH_HOURS = 730;
const STORED_MONTHS = 12;

/** What `npm run bench -- --only rows,bytes` counts. */
const BATCH_CLICKS = 50;
const ALONE = { calls: 1, rowsWritten: 1, bytes: 155 };
const IN_BATCH = { calls: 1 / BATCH_CLICKS, rowsWritten: 0.021, bytes: 85 };
const FIRST_CLICK = { rowsWritten: 3, bytes: 8_192 };

/** A link: its row, the entry in the index of addresses, the account's count. A code: its row and index, two counts. */
const LINK_ROWS = 3;
const LINK_BYTES = 500;
const QR_CODE_ROWS = 4;
const QR_CODE_BYTES = 10_000;
/** A call to the feed, which writes the event's row and the link's position. */
const ANNOUNCED = { calls: 1, rowsWritten: 2 };

const BYTES_PER_GB = 1e9;

/** @returns the parts of the bill, whose sum is the bill; what is included is subtracted in their order */
export function monthlyCosts(usage: Usage): Cost[] {
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
    { name: "storage", dollars: storageDollars(usage) },
  ];
}

export function totalDollars(costs: readonly Cost[]): number {
  return costs.reduce((sum, { dollars }) => sum + dollars, 0);
}

type Bill = (item: keyof typeof PRICES, count: number, product?: string) => number;

/** Charges each item beyond what its product includes in a month. */
function newBill(): Bill {
  const used = new Map<string, number>();
  return (item, count, product = "") => {
    const { perMillion, included } = PRICES[item];
    const before = used.get(item + product) ?? 0;
    used.set(item + product, before + count);
    const charged = Math.max(before + count - included, 0) - Math.max(before - included, 0);
    return (charged / 1e6) * perMillion;
  };
}

function objectCalls(bill: Bill, calls: number): number {
  return bill("objectRequests", calls) + bill("objectGbSeconds", calls * CALL_GB_SECONDS);
}

/** Of what twelve months have stored: clicks and links are kept until they are deleted. */
function storageDollars(usage: Usage): number {
  const { visits, links, qrCodes } = usage;
  const clickBytes = share(usage) * ALONE.bytes + (1 - share(usage)) * IN_BATCH.bytes;
  const stored = {
    objects: visits * clickBytes + links * FIRST_CLICK.bytes,
    database: links * LINK_BYTES,
    images: qrCodes * QR_CODE_BYTES,
  };
  return Object.entries(STORAGE_PRICES).reduce((sum, [place, { perGb, includedGb }]) => {
    const gb = (stored[place as keyof typeof stored] * STORED_MONTHS) / BYTES_PER_GB;
    return sum + Math.max(gb - includedGb, 0) * perGb;
  }, 0);
}

function share({ alonePercent }: Usage): number {
  return alonePercent / 100;
}
