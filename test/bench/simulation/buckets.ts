/** Which database has a simulated link. Pure. */
import { bucketOfAddress, BUCKETS } from "../../../src/core/links/buckets.ts";

/** As if the link of each rank had it for a slug. */
export function bucketOf(rank: number): number {
  return bucketOfAddress("hop.example", rank.toString(36));
}

/** @param databases  each with as many buckets as the next */
export function databaseOf(bucket: number, databases: number): number {
  return Math.floor((bucket * databases) / BUCKETS);
}
