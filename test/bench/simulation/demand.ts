/** The demand of traffic on databases and objects per second, in closed form: sums over all links and places. Pure. */
import { CALLS_PER_SECOND } from "../../../src/core/clicks/protocol/call-pacing.ts";
import measured from "../../../src/core/costs/measured.json" with { type: "json" };
import { CALL_SECONDS } from "../../../src/core/costs/prices.ts";
import { bucketOf, databaseOf } from "./buckets.ts";
import { callsOf, type Reads, readsOf } from "./caches.ts";
import { placeShares, replicaOf, type Traffic } from "./traffic.ts";
import { linkBins } from "./zipf.ts";

/** Each of these is considered individually, because its database matters. Links of later ranks are spread evenly. */
const BUSY_LINKS = 4_096;

/** Demand per second. */
export interface Demand {
  reads: Reads;
  /** Reads by replica: of each busy link, by rank, and of all others together. */
  byReplica: { busy: Float64Array; others: number }[];
  /** Calls to links' objects. */
  calls: number;
  /** Seconds in which links' objects are awake. */
  awakeSeconds: number;
  /** `calls` are those that its isolates would make if the object set no pace. */
  busiestLink: { redirects: number; reads: number; calls: number };
}

export function demandOf(traffic: Traffic): Demand {
  const { redirectsPerSecond, isolates, isCacheShared } = traffic;
  const places = placeShares(traffic);
  const bins = linkBins(traffic.links, traffic.zipf, BUSY_LINKS);
  const demand: Demand = {
    reads: { cold: 0, refreshed: 0 },
    byReplica: Array.from({ length: Math.max(traffic.replicas, 1) }, () => ({
      busy: new Float64Array(BUSY_LINKS),
      others: 0,
    })),
    calls: 0,
    awakeSeconds: 0,
    busiestLink: { redirects: redirectsPerSecond * (bins[0]?.share ?? 0), reads: 0, calls: 0 },
  };
  const caches = isCacheShared ? 1 : isolates;
  for (const { rank, links, share } of bins) {
    let [linkReads, linkCalls] = [0, 0];
    places.forEach((placeShare, place) => {
      const rate = redirectsPerSecond * share * placeShare;
      const { cold, refreshed } = readsOf(rate / caches, traffic);
      const reads = caches * (cold + refreshed);
      demand.reads.cold += links * caches * cold;
      demand.reads.refreshed += links * caches * refreshed;
      linkReads += reads;
      linkCalls += isolates * callsOf(rate / isolates, traffic);
      const replica = demand.byReplica[replicaOf(place, traffic)];
      if (replica && rank <= BUSY_LINKS && links === 1) replica.busy[rank - 1] = (replica.busy[rank - 1] ?? 0) + reads;
      else if (replica) replica.others += links * reads;
    });
    const calls = Math.min(linkCalls, CALLS_PER_SECOND);
    demand.calls += links * calls;
    demand.awakeSeconds += links * Math.min(calls * CALL_SECONDS, 1);
    if (rank === 1) Object.assign(demand.busiestLink, { reads: linkReads, calls: linkCalls });
  }
  return demand;
}

/** Maximum queries per second of the busiest database: isolates that read much request links together. */
export interface DatabaseLoad {
  /** Queries of all its instances. */
  reads: number;
  /** Queries of its busiest replica. */
  replica: number;
  /** Queries of the primary: unknown slugs, possibly new to a replica, and transactions, each as several queries. */
  primary: number;
}

/** A creation is one transaction; a change is followed by one that removes the outbox row. */
const TRANSACTIONS = { creation: 1, change: 2 };
/**
 * Assumption: a transaction occupies the primary for as long as this many queries, "several ms" where a look-up takes
 * less than one:
 * https://developers.cloudflare.com/d1/platform/limits/#frequently-asked-questions
 */
const TRANSACTION_QUERIES = 5;

/** Queries of one instance. An unknown slug also queries the primary, unless that was nearest. */
const VISIT_QUERIES = measured["statements for a visit that is not cached"];
const UNKNOWN_QUERIES = measured["statements for an unknown slug"];

export function databaseLoad(traffic: Traffic, demand: Demand, databases: number): DatabaseLoad {
  const { redirectsPerSecond, unknown, creations, changes, replicas } = traffic;
  const each = redirectsPerSecond / databases;
  const unknownQueries = each * unknown * UNKNOWN_QUERIES;
  const transactions = each * (creations * TRANSACTIONS.creation + changes * TRANSACTIONS.change);
  const written = transactions * TRANSACTION_QUERIES;
  const loads = loadsOf(demand, databases);
  const reads = Math.max(...loads.map((load) => load.reduce((sum, one) => sum + one, 0))) + unknownQueries;
  if (replicas === 0) return { reads, replica: 0, primary: reads + written };
  return {
    reads,
    replica: Math.max(...loads.flat()) + unknownQueries / replicas,
    primary: unknownQueries + written,
  };
}

/** Queries for links, by database and replica. */
function loadsOf({ byReplica }: Demand, databases: number): number[][] {
  const loads = Array.from({ length: databases }, () =>
    byReplica.map(({ others }) => (others * VISIT_QUERIES) / databases),
  );
  byReplica.forEach(({ busy }, replica) =>
    busy.forEach((reads, i) => {
      const load = loads[databaseOf(bucketOf(i + 1), databases)];
      if (load) load[replica] = (load[replica] ?? 0) + reads * VISIT_QUERIES;
    }),
  );
  return loads;
}
