/** A map of buckets for a given number of databases: those of the development server and of tests. Pure. */
import { BUCKETS } from "../../src/core/links/buckets.ts";
import { HOME_DATABASE } from "../../src/core/links/database-map.ts";

/** Names of bindings: the home database and `LINKS_1`, `LINKS_2`, … */
export function databaseNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? HOME_DATABASE : `LINKS_${index}`));
}

/** @returns a value of `LINK_DATABASES` that spreads buckets evenly over so many databases; null where `DB` has them all */
export function spreadBuckets(count: number): string | null {
  if (count === 1) return null;
  const first = (index: number) => Math.round((BUCKETS * index) / count);
  const ranges = databaseNames(count).map((name, index) => [name, `${first(index)}-${first(index + 1) - 1}`]);
  return JSON.stringify(Object.fromEntries(ranges));
}
