/** A map of buckets for a given number of databases: those of a development server and of tests. Pure. */
import { BUCKETS } from "./buckets.ts";
import { HOME_DATABASE } from "./database-map.ts";

/** As many as there are names of bindings: `DB`, and `LINKS_1` to `LINKS_63`. */
export const LINK_DATABASES_MAX = 64;

/** @returns a value of `LINK_DATABASES` that spreads buckets evenly over `DB`, `LINKS_1`, `LINKS_2`, … */
export function spreadBuckets(count: number): string {
  const first = (index: number) => Math.round((BUCKETS * index) / count);
  const ranges = Array.from({ length: count }, (_, index) => [
    index === 0 ? HOME_DATABASE : `LINKS_${index}`,
    `${first(index)}-${first(index + 1) - 1}`,
  ]);
  return JSON.stringify(Object.fromEntries(ranges));
}
