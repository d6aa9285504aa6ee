/** Monthly cost of traffic on Cloudflare's paid plan, by billed item; `src/core/costs` has prices and figures. Pure. */
import {
  type Bill,
  MONTH_HOURS,
  newBill,
  OBJECT_BYTES,
  storageDollars,
  STORED_MONTHS,
  upkeepDollars,
} from "../../../src/core/costs/monthly-costs.ts";
import measured from "../../../src/core/costs/measured.json" with { type: "json" };
import { LOOK_UP_ROWS, OBJECT_GB, PLAN_DOLLARS, REDIRECT_CPU_MS } from "../../../src/core/costs/prices.ts";
import type { Demand } from "./demand.ts";
import type { Traffic } from "./traffic.ts";

const MONTH_SECONDS = MONTH_HOURS * 3_600;

/** Rows and bytes for a call to a link's object, and for each of its clicks. */
const ROWS = perCallAndClick("rows written for a lone click", "rows written for a click of 50");
const BYTES = perCallAndClick("stored for a lone click", "stored for a click of 50");

export interface Charge {
  name: string;
  /** Per month; stored amounts after twelve months. */
  count: number;
  unit: string;
  dollars: number;
}

export function monthlyCharges(traffic: Traffic, demand: Demand): Charge[] {
  const { redirectsPerSecond: redirects, unknown, creations, changes } = traffic;
  const month = (perSecond: number) => perSecond * MONTH_SECONDS;
  const visits = month(redirects * (1 + unknown));
  const created = month(redirects * creations);
  const reads = demand.reads.cold + demand.reads.refreshed;
  // Rows of a replica, and of the primary.
  const missRows = measured["rows read for an unknown slug"] * (traffic.replicas === 0 ? 1 : 2);
  const rowsRead = month(reads * LOOK_UP_ROWS + redirects * unknown * missRows);
  const rowsWritten =
    created * measured["rows written to create a link"] +
    month(redirects * changes) * measured["rows written to change a link"];
  const objectRows = month(demand.calls * ROWS.call + redirects * ROWS.click);
  const stored = storedBytes(traffic, demand);
  const bill = newBill();
  return [
    { name: "plan", count: 1, unit: "months", dollars: PLAN_DOLLARS },
    charge("Worker: requests", "workerRequests", visits),
    charge("Worker: CPU", "workerCpuMs", visits * REDIRECT_CPU_MS, "ms"),
    charge("D1: rows read", "rowsRead", rowsRead, "rows", "database"),
    charge("D1: rows written", "rowsWritten", rowsWritten, "rows", "database"),
    charge("objects: calls", "objectRequests", month(demand.calls)),
    charge("objects: time awake", "objectGbSeconds", month(demand.awakeSeconds) * OBJECT_GB, "GB-s"),
    charge("objects: rows written", "rowsWritten", objectRows, "rows", "objects"),
    { name: "cron jobs, metrics and logs", count: 1, unit: "months", dollars: upkeepDollars(bill, visits) },
    storage("D1: storage", "database", stored.database),
    storage("objects: storage", "objects", stored.objects),
  ];

  function charge(name: string, item: Parameters<Bill>[0], count: number, unit = "requests", product?: string): Charge {
    return { name, count, unit, dollars: bill(item, count, product) };
  }
}

/** Bytes of a database for each link. */
export const LINK_BYTES = measured["stored in the database for a link"];

/** After twelve months. The number of links is as given; each was clicked. */
function storedBytes({ links, redirectsPerSecond }: Traffic, { calls }: Demand) {
  const months = MONTH_SECONDS * STORED_MONTHS;
  const clicks = months * clickBytes(redirectsPerSecond, calls);
  return { database: links * LINK_BYTES, objects: clicks + links * OBJECT_BYTES };
}

/** Bytes that objects store for clicks that arrive in this many calls. */
export function clickBytes(clicks: number, calls: number): number {
  return calls * BYTES.call + clicks * BYTES.click;
}

function storage(name: string, place: "database" | "objects", bytes: number): Charge {
  return { name, count: bytes / 1e9, unit: "GB", dollars: storageDollars(place, bytes) };
}

/** Derived from the benchmark's figures for calls with one click and with 50. */
function perCallAndClick(lone: keyof typeof measured, of50: keyof typeof measured): { call: number; click: number } {
  const call = (measured[lone] - measured[of50]) / (1 - 1 / 50);
  return { call, click: measured[lone] - call };
}
