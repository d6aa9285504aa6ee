/**
 * Chooses the D1 database of a link, by the bucket that follows from its address and that its id carries. Without
 * `LINK_DATABASES` all links are in `DB`. This is the only file of `store/links` that names bindings (a lint rule).
 *
 * Rules for queries: what is written together with a link (its outbox row, its account's count, its share of a stored
 * response) is in the link's database and in the same transaction. A query of links reads no other tables, except the
 * small rows that are copied to every database (home-copies.ts). Lists, searches and sweeps ask all databases and merge.
 *
 * While a bucket moves (bucket-moves.ts), its links are in the source, in the target, or in both; then the target's are
 * newer. Reads ask both. Writes ask the source whether it has closed the bucket: until then they go there, from then on to
 * the target, with the link's rows copied first.
 */
import { bucketOfAddress, bucketOfId } from "../../core/links/buckets.ts";
import { type BucketPlace, type DatabaseMap, HOME_DATABASE, parseDatabaseMap } from "../../core/links/database-map.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";

/** The bindings needed here. The operator's commands, which run outside the Worker, have them as well. */
export type LinksEnv = Pick<Env, "DB" | "LINK_DATABASES">;

/** Identifies a link's database. */
export type LinkKey = Pick<LinkSnapshot, "domain" | "slug"> | Pick<LinkSnapshot, "id">;

/** The database of one link, by its address or its id; while its bucket moves, the one that it moves to. */
export function linksDatabase(env: LinksEnv, link: LinkKey): D1Database {
  const map = databaseMap(env);
  const [only] = map.databases;
  return map.databases.length === 1 && only !== undefined
    ? databaseNamed(env, only)
    : databaseNamed(env, placeOf(map, link).database);
}

/** Every database with links: lists, searches and sweeps query all of them and merge the results. */
export function linkDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env).databases.map((name) => databaseNamed(env, name));
}

/** Groups links by database, for statements on several links. */
export function groupByDatabase<Key extends LinkKey>(env: LinksEnv, links: readonly Key[]): Map<D1Database, Key[]> {
  return Map.groupBy(links, (link) => linksDatabase(env, link));
}

/** The database of accounts, keys and domains, if it has all links as well: then one transaction can write to both. */
export function onlyDatabase(env: LinksEnv): D1Database | null {
  const { databases } = databaseMap(env);
  return databases.length === 1 && databases[0] === HOME_DATABASE ? env.DB : null;
}

/** The database of what is not yet written by database. */
export function transactionDatabase(env: LinksEnv): D1Database {
  return env.DB;
}

/** The databases with links, besides the home database, which have copies of some of its rows. */
export function otherDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env)
    .databases.filter((name) => name !== HOME_DATABASE)
    .map((name) => databaseNamed(env, name));
}

function placeOf({ places }: DatabaseMap, link: LinkKey): BucketPlace {
  const bucket = "id" in link ? bucketOfId(link.id) : bucketOfAddress(link.domain, link.slug);
  const place = places[bucket];
  if (!place) throw new Error(`bucket ${bucket} has no database`);
  return place;
}

/** The setting does not change while an isolate lives; tests have several. */
let [parsedSetting, parsedMap]: [string | undefined, DatabaseMap] = [undefined, parseDatabaseMap(undefined)];

function databaseMap({ LINK_DATABASES }: LinksEnv): DatabaseMap {
  if (LINK_DATABASES !== parsedSetting) {
    [parsedSetting, parsedMap] = [LINK_DATABASES, parseDatabaseMap(LINK_DATABASES)];
  }
  return parsedMap;
}

function databaseNamed(env: LinksEnv, name: string): D1Database {
  const database = (env as unknown as Record<string, D1Database | undefined>)[name];
  if (!database) throw new Error(`LINK_DATABASES names ${name}, which is not bound`);
  return database;
}
