/** The results for one traffic: calculated, simulated, and its cost. */
import { CALLS_PER_SECOND } from "../../../src/core/clicks/protocol/call-pacing.ts";
import { databaseLoad, type DatabaseLoad, type Demand, demandOf } from "./demand.ts";
import { type Charge, clickBytes, LINK_BYTES, monthlyCharges } from "./month.ts";
import { busiestOf, simulateVisits, type Simulation } from "./simulate-visits.ts";
import type { Traffic } from "./traffic.ts";

/** For each redirect. */
interface PerRedirect {
  /** Reads that the visitor waits for, and those in the background. */
  cold: number;
  refreshed: number;
  /** Calls to links' objects. */
  calls: number;
}

export interface DatabasesReport {
  databases: number;
  /** Size of each database, with plain links. */
  gigabytes: number;
  calculated: DatabaseLoad;
  /** Without unknown slugs and writes. */
  simulated: Pick<DatabaseLoad, "reads" | "replica">;
  /** Loads above their limit. */
  exceeded: ("replica" | "primary" | "storage")[];
}

export interface Report {
  traffic: Traffic;
  calculated: PerRedirect;
  /** Reads if the isolates of a place shared their cache. */
  sharedCacheReads: number;
  busiestLink: Demand["busiestLink"] & { daysUntilFull: number };
  simulated: PerRedirect & { redirects: number };
  databases: DatabasesReport[];
  month: Charge[];
}

/**
 * Limits of one instance of a D1 database, with queries of 1 ms, and of a database's file:
 * https://developers.cloudflare.com/d1/platform/limits/
 */
const INSTANCE_QUERIES_PER_SECOND = 1_000;
const DATABASE_GIGABYTES = 10;
/** https://developers.cloudflare.com/durable-objects/platform/limits/ */
const OBJECT_BYTES = 10e9;

/** @param counts  of databases */
export function reportOn(traffic: Traffic, counts: readonly number[], simulation: Simulation): Report {
  const demand = demandOf(traffic);
  const visits = simulateVisits(traffic, simulation);
  const shared = demandOf({ ...traffic, isCacheShared: true });
  const { redirectsPerSecond: rate } = traffic;
  return {
    traffic,
    calculated: {
      cold: demand.reads.cold / rate,
      refreshed: demand.reads.refreshed / rate,
      calls: demand.calls / rate,
    },
    sharedCacheReads: (shared.reads.cold + shared.reads.refreshed) / rate,
    busiestLink: { ...demand.busiestLink, daysUntilFull: daysUntilFull(demand.busiestLink) },
    simulated: {
      redirects: visits.redirects,
      cold: visits.cold / visits.redirects,
      refreshed: visits.refreshed / visits.redirects,
      calls: visits.calls / visits.redirects,
    },
    databases: counts.map((databases) => {
      const busiest = busiestOf(visits, databases);
      const simulated = { reads: busiest.reads / simulation.seconds, replica: busiest.replica / simulation.seconds };
      return { ...databasesReport(traffic, demand, databases), simulated };
    }),
    month: monthlyCharges(traffic, demand),
  };
}

function databasesReport(traffic: Traffic, demand: Demand, databases: number): Omit<DatabasesReport, "simulated"> {
  const calculated = databaseLoad(traffic, demand, databases);
  const gigabytes = (traffic.links * LINK_BYTES) / databases / 1e9;
  const exceeded = [
    calculated.replica > INSTANCE_QUERIES_PER_SECOND && ("replica" as const),
    calculated.primary > INSTANCE_QUERIES_PER_SECOND && ("primary" as const),
    gigabytes > DATABASE_GIGABYTES && ("storage" as const),
  ].filter((one) => one !== false);
  return { databases, gigabytes, calculated, exceeded };
}

/** Days until the clicks of a link fill the storage of an object. */
function daysUntilFull({ redirects, calls }: Demand["busiestLink"]): number {
  return OBJECT_BYTES / clickBytes(redirects, Math.min(calls, CALLS_PER_SECOND)) / 86_400;
}

export function totalDollars({ month }: Report): number {
  return month.reduce((sum, { dollars }) => sum + dollars, 0);
}
