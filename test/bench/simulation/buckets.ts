/** The databases of simulated links. Pure. */
import { bucketOfAddress, BUCKETS } from "../../../src/core/links/buckets.ts";

/** The bucket of a link with this rank as its slug. */
export function bucketOf(rank: number): number {
  return bucketOfAddress("hop.example", rank.toString(36));
}

/** @param databases  each with the same number of buckets */
export function databaseOf(bucket: number, databases: number): number {
  return Math.floor((bucket * databases) / BUCKETS);
}
