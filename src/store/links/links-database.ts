/**
 * Chooses the D1 database of a link, by the bucket that follows from its address and that its id carries. Without
 * `LINK_DATABASES` all links are in `DB`. This is the only file of `store/links` that names bindings (a lint rule).
 *
 * Rules for queries: what is written together with a link (its outbox row, its account's count, its share of a stored
 * response) is in the link's database and in the same transaction. A query of links reads no other tables, except the
 * small rows that are copied to every database (home-copies.ts). Lists, searches and sweeps ask all databases and merge.
 *
 * While a bucket moves (bucket-moves.ts), each of its links is in the source, or in the target, or for a moment the same in
 * both; it never goes back. So a read that finds nothing in the target asks the source, and then the target once more.
 */
import { bucketOfAddress, bucketOfId } from "../../core/links/buckets.ts";
import { type BucketPlace, type DatabaseMap, HOME_DATABASE, parseDatabaseMap } from "../../core/links/database-map.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { withTimeout } from "../timeout.ts";

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

/** What a link is read from: links with the same name here are in the same database and, while they move, come from the same. */
export function placeNameOf(env: LinksEnv, link: LinkKey): string {
  const map = databaseMap(env);
  const [only] = map.databases;
  if (map.databases.length === 1 && only !== undefined) return only;
  const { database, source } = placeOf(map, link);
  return source === null ? database : `${database} from ${source}`;
}

/** Every database with links: lists, searches and sweeps query all of them and merge the results. */
export function linkDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env).databases.map((name) => databaseNamed(env, name));
}

/**
 * Reads a link where it is.
 * @param read  null when the link is not in the database
 */
export async function readLinkIn<T>(
  env: LinksEnv,
  link: LinkKey,
  read: (database: D1Database) => Promise<T | null>,
): Promise<T | null> {
  const database = linksDatabase(env, link);
  const readIn = (place: D1Database) => answerInTime(read(place));
  const found = await readIn(database);
  const source = found === null ? sourceDatabase(env, link) : null;
  return source ? ((await readIn(source)) ?? readIn(database)) : found;
}

/** As long as a person waits. D1 stalls for up to a minute while it moves a database. */
const ANSWER_TIMEOUT_MS = 5_000;

/** What a request reads, of a database that may stall. @throws TimeoutError, which the API answers with 503 */
export function answerInTime<T>(answer: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_TIMEOUT_MS, answer);
}

/** Longer than a read may take: a request may write a hundred links with their histories. */
const WRITE_TIMEOUT_MS = 10_000;

/** The same of what a request writes. It may be written later. */
export function writtenInTime<T>(write: Promise<T>): Promise<T> {
  return withTimeout(WRITE_TIMEOUT_MS, write);
}

/**
 * Reads several links, each where it is, with one query of each database.
 * @param keyOf  what tells links apart
 * @param keyOfRow  the same of a row
 */
export async function readLinksIn<Key extends LinkKey, Row>(
  env: LinksEnv,
  links: readonly Key[],
  keyOf: (link: Key) => string,
  keyOfRow: (row: Row) => string,
  read: (database: D1Database, links: readonly Key[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const readGroups = async (groups: ReadonlyMap<D1Database, Key[]>) => {
    const found = await Promise.all([...groups].map(([database, keys]) => read(database, keys)));
    rows.push(...found.flat());
  };
  await readGroups(groupByDatabase(env, links));
  const moving = links.filter((link) => sourceDatabase(env, link) !== null);
  if (moving.length === 0) return rows;
  const missing = () => {
    const found = new Set(rows.map(keyOfRow));
    return moving.filter((link) => !found.has(keyOf(link)));
  };
  await readGroups(Map.groupBy(missing(), (link) => sourceDatabase(env, link) ?? linksDatabase(env, link)));
  await readGroups(groupByDatabase(env, missing()));
  return rows;
}

/**
 * Queries every database, for lists and sweeps. All must answer: a list without the links of one would look complete.
 * @param idOf  the link of a row: while it moves it may be found twice, and is returned once
 */
export async function queryLinkDatabases<Row>(
  env: LinksEnv,
  idOf: (row: Row) => string,
  query: (database: D1Database) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const { isMoving, databases, places } = databaseMap(env);
  const queryAll = async (names: Iterable<string>) =>
    (await Promise.all([...names].map((name) => query(databaseNamed(env, name))))).flat();
  if (!isMoving) return queryAll(databases);
  // A link that has left the source before it is read is found in the target afterwards.
  const first = await queryAll(new Set(places.flatMap(({ source }) => source ?? [])));
  const rest = await queryAll(new Set(places.map(({ database }) => database)));
  return [...new Map([...first, ...rest].map((row) => [idOf(row), row])).values()];
}

/** As `groupByDatabase`, for rows that may be in either database of a link while it moves. */
export function groupByPossibleDatabase<Key extends LinkKey>(
  env: LinksEnv,
  links: readonly Key[],
): Map<D1Database, Key[]> {
  const groups = groupByDatabase(env, links);
  for (const link of links) {
    const source = sourceDatabase(env, link);
    if (source) groups.set(source, [...(groups.get(source) ?? []), link]);
  }
  return groups;
}

/** The databases that buckets move away from, by their bindings. */
export function movesOf(env: LinksEnv): { name: string; database: D1Database }[] {
  const { isMoving, places } = databaseMap(env);
  if (!isMoving) return [];
  return [...new Set(places.flatMap(({ source }) => source ?? []))].map((name) => ({
    name,
    database: databaseNamed(env, name),
  }));
}

/** The database that a link's bucket moves away from; null when it does not move. */
export function sourceDatabase(env: LinksEnv, link: LinkKey): D1Database | null {
  const map = databaseMap(env);
  const source = map.isMoving ? placeOf(map, link).source : null;
  return source === null ? null : databaseNamed(env, source);
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

/** The databases with links, besides the home database, which have copies of some of its rows. */
export function otherDatabases(env: LinksEnv): readonly D1Database[] {
  return databaseMap(env)
    .databases.filter((name) => name !== HOME_DATABASE)
    .map((name) => databaseNamed(env, name));
}

/**
 * All databases that are bound, with the names of their bindings, the home database first. Where the setting is wrong, the
 * home database alone: what is wrong is for `settingsProblem` to tell.
 */
export function namedDatabases(env: LinksEnv): [name: string, database: D1Database][] {
  const bindings = env as unknown as Record<string, D1Database | undefined>;
  return [...new Set([HOME_DATABASE, ...databasesInSetting(env)])].flatMap((name) => {
    const database = bindings[name];
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

/** @param name  of its binding */
export function databaseNamed(env: LinksEnv, name: string): D1Database {
  const database = (env as unknown as Record<string, D1Database | undefined>)[name];
  if (!database) throw new Error(`LINK_DATABASES names ${name}, which is not bound`);
  return database;
}
