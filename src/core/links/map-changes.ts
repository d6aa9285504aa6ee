/**
 * What may follow one map of databases: one in which every bucket is where it was, or says that it is moved from there. Any
 * other would look for links where they are not. Pure.
 */
import { type DatabaseMap, InvalidDatabaseMap } from "./database-map.ts";

/** @throws InvalidDatabaseMap, with the first bucket that `after` looks for in the wrong place */
export function requireReachable(before: DatabaseMap, after: DatabaseMap): void {
  for (const [bucket, { database, source }] of after.places.entries()) {
    const held = before.places[bucket]?.database;
    if (held === undefined || held === database || held === source) continue;
    throw new InvalidDatabaseMap(
      `has bucket ${bucket} in ${database}, and its links are in ${held}: move them, with "${bucket} from ${held}"`,
    );
  }
}
