/**
 * Reads and writes links in their databases: in `DB`, or spread over several databases (`LINK_DATABASES`).
 *
 * Rules for queries: rows written with a link (its outbox row, its account's count, its share of a stored response) are
 * in the link's database and in the same transaction. A query of links reads no other tables, except the small rows
 * copied to every database (home-copies.ts). Lists, searches and sweeps query all databases and merge the results.
 *
 * While a bucket moves (bucket-moves.ts), each link is in the source, in the target, or briefly in both with the same
 * content. It never moves back. So a read that finds nothing in the target queries the source, and then the target once
 * more.
 */
import { answerInTime, writtenInTime, signalOf } from "../timeout.ts";
import {
  databaseMap,
  databaseNamed,
  everyDatabase,
  groupByDatabase,
  linkDatabases,
  type LinkKey,
  type LinksEnv,
  linksDatabase,
  namedDatabases,
  sourceDatabase,
  type WrittenLink,
} from "./databases.ts";

/** Whether one database has all links of a link's bucket, which is not so while the bucket moves. */
export function isInOneDatabase(env: LinksEnv, link: LinkKey): boolean {
  return sourceDatabase(env, link) === null;
}

/**
 * Reads a link.
 * @param read  returns null when the link is not in the database
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

/**
 * Reads several links, with one query per database.
 * @param keyOf  identifies a link
 * @param keyOfRow  the same key, from a row
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
 * Queries every database, for lists and sweeps. All must respond: a list without one database's links would look
 * complete.
 * @param idOf  the link id of a row: a moving link may be found twice, and is returned once
 */
export async function queryLinkDatabases<Row>(
  env: LinksEnv,
  idOf: (row: Row) => string,
  query: (database: D1Database, shareOf: ShareOf) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const { isMoving, databases, places } = databaseMap(env);
  const queryAll = async (names: Iterable<string>) =>
    (await Promise.all([...names].map((name) => query(databaseNamed(env, name), shareOf(env))))).flat();
  if (!isMoving) return queryAll(databases);
  // A link that leaves the source before it is read there is found in the target afterwards.
  const first = await queryAll(new Set(places.flatMap(({ source }) => source ?? [])));
  const rest = await queryAll(new Set(places.map(({ database }) => database)));
  return [...new Map([...first, ...rest].map((row) => [idOf(row), row])).values()];
}

/** Selects rows of links from every database, each link once. */
export function selectLinks<Row extends { id: string }>(
  env: LinksEnv,
  query: (database: D1Database) => D1PreparedStatement,
): Promise<Row[]> {
  return queryLinkDatabases<Row>(env, idOf, async (database) => (await query(database).all<Row>()).results);
}

/**
 * Selects a page of links in id order, which is creation order.
 * @param query  uses the same order and limit
 */
export async function selectLinkPage<Row extends { id: string }>(
  env: LinksEnv,
  { order, limit }: { order: "ASC" | "DESC"; limit: number },
  query: (database: D1Database) => D1PreparedStatement,
): Promise<Row[]> {
  const rows = await selectLinks<Row>(env, query);
  const before = order === "ASC" ? -1 : 1;
  return rows.sort((one, other) => (one.id < other.id ? before : -before)).slice(0, limit);
}

/**
 * Selects rows of links by id.
 * @param query  receives a JSON array of the ids in one database
 */
export function selectLinksById<Row extends { id: string }>(
  env: LinksEnv,
  ids: readonly string[],
  query: (database: D1Database, ids: string) => D1PreparedStatement,
): Promise<Row[]> {
  const links = [...new Set(ids)].map((id) => ({ id }));
  return readLinksIn<{ id: string }, Row>(env, links, idOf, idOf, async (database, wanted) => {
    const statement = query(database, JSON.stringify(wanted.map(idOf)));
    return (await answerInTime(statement.all<Row>())).results;
  });
}

function idOf({ id }: { id: string }): string {
  return id;
}

/** Divides a number requested from all databases into the share of each. */
type ShareOf = (all: number) => number;

function shareOf(env: LinksEnv): ShareOf {
  return (all) => Math.ceil(all / databaseMap(env).databases.length);
}

/** Queries each database for its own data, such as counts. @returns one answer per database */
export function askEachDatabase<Answer>(
  env: LinksEnv,
  ask: (database: D1Database, shareOf: ShareOf) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(linkDatabases(env).map((database) => ask(database, shareOf(env))));
}

/**
 * Like `askEachDatabase`, but skips databases that fail: only their work waits.
 * @param which  databases with links, or also the home database without any
 * @throws when all fail
 */
export async function askReachableDatabases<Answer>(
  env: LinksEnv,
  ask: (database: D1Database, shareOf: ShareOf) => Promise<Answer>,
  which: "with_links" | "every" = "with_links",
): Promise<Answer[]> {
  const databases = which === "every" ? everyDatabase(env) : linkDatabases(env);
  const asked = await Promise.allSettled(databases.map((database) => ask(database, shareOf(env))));
  const failed = asked.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  for (const { reason } of failed) console.error("database of links skipped", { error: String(reason) });
  if (failed.length === asked.length) throw failed[0]?.reason;
  return asked.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

/** Sums the `n` column of a query over all databases. */
export async function sumInDatabases(
  env: LinksEnv,
  query: (database: D1Database) => D1PreparedStatement,
): Promise<number> {
  const numbers = await askEachDatabase(env, (database) => query(database).first<number | null>("n"));
  return numbers.reduce<number>((sum, n) => sum + (n ?? 0), 0);
}

/** Like `askEachDatabase`, but one database after the other, for work that takes a database to its limits. */
export async function askInTurn<Answer>(
  env: LinksEnv,
  ask: (database: D1Database) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const database of linkDatabases(env)) answers.push(await ask(database));
  return answers;
}

/** Queries each bound database, with or without links. @param ask  also receives the name of its binding */
export function askNamedDatabases<Answer>(
  env: LinksEnv,
  ask: (database: D1Database, name: string) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(namedDatabases(env).map(([name, database]) => ask(database, name)));
}

/**
 * Works on one database after the other, starting with the home database, until one had work to do.
 * @param work  returns whether it had work to do
 */
export async function workInOneDatabase(
  env: LinksEnv,
  work: (database: D1Database) => Promise<boolean>,
): Promise<boolean> {
  for (const database of everyDatabase(env)) if (await work(database)) return true;
  return false;
}

/** Returns where to write links at the moment. If a write there fails (`bucket_moved`), call this again. */
export async function databasesToWrite<Key extends WrittenLink>(
  env: LinksEnv,
  links: readonly Key[],
): Promise<Map<D1Database, Key[]>> {
  if (!databaseMap(env).isMoving) return groupByDatabase(env, links);
  const { databasesDuringMove } = await import("./moved-links.ts");
  return databasesDuringMove(env, links);
}

/**
 * Writes links. While buckets move, `write` may run twice: a database that refuses has written nothing, others may
 * have.
 * @param write  receives the links of each database
 * @throws TimeoutError, which the API answers with 503; the statements may still be written later
 */
export async function writeLinksIn<Key extends WrittenLink, T>(
  env: LinksEnv,
  links: readonly Key[],
  write: (groups: ReadonlyMap<D1Database, Key[]>) => Promise<T>,
): Promise<T> {
  const attempt = async () => writtenInTime(write(await databasesToWrite(env, links)));
  try {
    return await attempt();
  } catch (error) {
    if (signalOf(error) !== "bucket_moved" || !databaseMap(env).isMoving) throw error;
    return attempt();
  }
}

/** Writes one link, like `writeLinksIn`. */
export function writeLinkIn<T>(
  env: LinksEnv,
  link: WrittenLink,
  write: (database: D1Database) => Promise<T>,
): Promise<T> {
  return writeLinksIn(env, [link], (groups) => write(groups.keys().next().value ?? linksDatabase(env, link)));
}

/** Groups links by each database that may have their rows: a moving link is in two groups. */
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
