/** The simulated traffic: the number of links, how they are visited, and from where. Pure. */
import { LINK_CACHE_MAX_AGE_MS, LINK_REFRESH_AGE_MS } from "../../../src/edge/link-lookup.ts";

export interface Traffic {
  links: number;
  /** Exponent of Zipf's law. */
  zipf: number;
  redirectsPerSecond: number;
  /** Visits to addresses without a link, for each redirect. */
  unknown: number;
  /** Links created, for each redirect. */
  creations: number;
  /** Links changed, for each redirect. */
  changes: number;
  /** Locations of Cloudflare that serve visitors. */
  places: number;
  /** Exponent by which places differ in size: at 0 all are equal. */
  placeSkew: number;
  /** Isolates in each place. A visitor may reach any of them. */
  isolates: number;
  /** Age at which a cached link is no longer used. */
  cacheSeconds: number;
  /** Age from which a visit refreshes it in the background. */
  refreshSeconds: number;
  /** Whether the isolates of a place share what they have read. The product does not; this shows what it would save. */
  isCacheShared: boolean;
  /** Replicas of each database, near different places; without any all is read from the primary. */
  replicas: number;
  /** How long a call to a link's object takes. */
  callMs: number;
}

export const USUAL_TRAFFIC: Traffic = {
  links: 10_000_000,
  zipf: 1,
  redirectsPerSecond: 10_000,
  unknown: 0.01,
  creations: 0.001,
  changes: 0.001,
  places: 200,
  placeSkew: 0.8,
  isolates: 4,
  cacheSeconds: LINK_CACHE_MAX_AGE_MS / 1_000,
  refreshSeconds: LINK_REFRESH_AGE_MS / 1_000,
  isCacheShared: false,
  // One in each region of D1: https://developers.cloudflare.com/d1/best-practices/read-replication/
  replicas: 6,
  callMs: 50,
};

/** The deployments that the guide compares. */
export const COMPARED: readonly Pick<Traffic, "links" | "redirectsPerSecond">[] = [
  { links: 10_000_000, redirectsPerSecond: 1_000 },
  { links: 10_000_000, redirectsPerSecond: 10_000 },
  { links: 1_000_000_000, redirectsPerSecond: 100_000 },
];

/** Each place's share of all visitors, the largest first. */
export function placeShares({ places, placeSkew }: Pick<Traffic, "places" | "placeSkew">): number[] {
  const sizes = Array.from({ length: places }, (_, place) => (place + 1) ** -placeSkew);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return sizes.map((size) => size / total);
}

/** The replica that a place reads from. Large and small ones alternate, so that replicas differ, but not by much. */
export function replicaOf(place: number, { replicas }: Pick<Traffic, "replicas">): number {
  return place % Math.max(replicas, 1);
}
