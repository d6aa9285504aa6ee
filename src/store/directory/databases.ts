/**
 * Finds a link's D1 database from `LINK_DATABASES` and the link's bucket, which follows from its address and is part of
 * its id. Only this folder knows how many databases there are (test/store/directory/databases.test.ts).
 */
import type { Mode } from "../../core/account.ts";
import { bucketOf, HOME_DATABASE } from "../../core/links/buckets.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { type BucketPlace, type DatabaseMap, InvalidDatabaseMap, parseDatabaseMap } from "./database-map.ts";

/** The bindings needed here. The operator's commands, which run outside the Worker, also have them. */
export type LinksEnv = Pick<Env, "DB" | "LINK_DATABASES">;

/** Identifies a link's database. */
export type LinkKey = Pick<LinkSnapshot, "domain" | "slug"> | Pick<LinkSnapshot, "id">;

/** A link to write: by its primary key, or by an address that may not have a link yet. */
export type WrittenLink = { accountId: string; mode: Mode; id: string } | { domain: string; slug: string };

/** The database of one link; while its bucket moves, the target. */
export function linksDatabase(env: LinksEnv, link: LinkKey): D1Database {
  return databaseNamed(env, placeOf(env, link).database);
}

/** Names where a link is read. Links with the same name share a database and, while they move, a source. */
export function placeNameOf(env: LinksEnv, link: LinkKey): string {
  const { database, source } = placeOf(env, link);
  return source === null ? database : `${database} from ${source}`;
}

/** The database that a link's bucket moves from; null when it does not move. */
export function sourceDatabase(env: LinksEnv, link: LinkKey): D1Database | null {
  const source = databaseMap(env).isMoving ? placeOf(env, link).source : null;
  return source === null ? null : databaseNamed(env, source);
}

/** Groups links by database, for statements on several links. */
export function groupByDatabase<Key extends LinkKey>(env: LinksEnv, links: readonly Key[]): Map<D1Database, Key[]> {
  return Map.groupBy(links, (link) => linksDatabase(env, link));
}

/** Every database with links. */
export function linkDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env).databases.map((name) => databaseNamed(env, name));
}

/** The databases with links other than the home database. They have copies of some of its rows. */
export function otherDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env)
    .databases.filter((name) => name !== HOME_DATABASE)
    .map((name) => databaseNamed(env, name));
}

/** The calls left to an invocation, at least 1, if each database besides the home database uses `ofEach` calls. */
export function callsLeft(env: LinksEnv, calls: number, ofEach: number): number {
  return Math.max(calls - otherDatabases(env).length * ofEach, 1);
}

/** The home database and every other one, each once. */
export function everyDatabase(env: LinksEnv): readonly [D1Database, ...D1Database[]] {
  return [env.DB, ...otherDatabases(env)];
}

/** The home database, if it also has all links: then one transaction can write to both. */
export function onlyDatabase(env: LinksEnv): D1Database | null {
  const { databases } = databaseMap(env);
  return databases.length === 1 && databases[0] === HOME_DATABASE ? env.DB : null;
}

/**
 * The bound databases with the names of their bindings, the home database first. If the setting is invalid, returns
 * only the home database: `databasesProblem` describes the problem.
 */
export function namedDatabases(env: LinksEnv): [name: string, database: D1Database][] {
  return [...new Set([HOME_DATABASE, ...databasesInSetting(env)])].flatMap((name) => {
    const database = boundDatabase(env, name);
    return database ? [[name, database] as [string, D1Database]] : [];
  });
}

function databasesInSetting(env: LinksEnv): readonly string[] {
  try {
    return databaseMap(env).databases;
  } catch {
    return [];
  }
}

/** @param settings  includes the bindings */
export function databasesProblem(settings: { LINK_DATABASES?: string }): string | null {
  try {
    const { databases } = parseDatabaseMap(settings.LINK_DATABASES);
    const missing = databases.find((name) => name !== HOME_DATABASE && !(name in settings));
    return missing === undefined ? null : `This deployment's LINK_DATABASES names ${missing}, which is not bound`;
  } catch (error) {
    if (!(error instanceof InvalidDatabaseMap)) throw error;
    return `This deployment's LINK_DATABASES ${error.message}`;
  }
}

/** The setting does not change during an isolate's lifetime, except in tests. */
let [parsedSetting, parsedMap]: [string | undefined, DatabaseMap] = [undefined, parseDatabaseMap(undefined)];

export function databaseMap({ LINK_DATABASES }: LinksEnv): DatabaseMap {
  if (LINK_DATABASES !== parsedSetting) {
    [parsedSetting, parsedMap] = [LINK_DATABASES, parseDatabaseMap(LINK_DATABASES)];
  }
  return parsedMap;
}

function placeOf(env: LinksEnv, link: LinkKey): BucketPlace {
  const { only, places } = databaseMap(env);
  if (only) return only;
  const bucket = bucketOf(link);
  const place = places[bucket];
  if (!place) throw new Error(`bucket ${bucket} has no database`);
  return place;
}

/** @param name  name of its binding */
export function databaseNamed(env: LinksEnv, name: string): D1Database {
  const database = boundDatabase(env, name);
  if (!database) throw new Error(`LINK_DATABASES names ${name}, which is not bound`);
  return database;
}

function boundDatabase(env: LinksEnv, name: string): D1Database | undefined {
  return (env as unknown as Record<string, D1Database | undefined>)[name];
}
