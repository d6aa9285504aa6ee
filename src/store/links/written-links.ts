/**
 * Where links are written. While a bucket moves (bucket-moves.ts) that is its source until the source has closed it, then its
 * target: who writes to a link that has not moved yet moves it first.
 */
import { bucketOfAddress, bucketOfId, bucketText } from "../../core/links/buckets.ts";
import type { Mode } from "../../core/account.ts";
import { conflictingSlugs } from "../../core/links/stored-slug.ts";
import { formatDatabaseMap, parseDatabaseMap } from "../../core/links/database-map.ts";
import { guardedDatabase } from "./guarded-database.ts";
import {
  groupByDatabase,
  type LinksEnv,
  linksDatabase,
  movesOf,
  sourceDatabase,
  writtenInTime,
} from "./links-database.ts";
import { type LinkPrimaryKey, moveLinks } from "./moved-links.ts";

/** A link to be written: by its primary key, or by an address, which may have none yet. */
export type WrittenLink = { accountId: string; mode: Mode; id: string } | { domain: string; slug: string };

/** A write met a bucket that its database has closed: just now, or under a setting that this isolate does not have. */
export function isBucketMovedError(error: unknown): boolean {
  return String(error).includes("bucket has moved");
}

/**
 * The environment in which `linksDatabase` names the database that a link is to be written to: while its bucket moves, the
 * source until that has closed the bucket, and then the target, to which `bringLinks` must have moved it. What is written
 * to a source fails (`isBucketMovedError`) when the source closes a bucket before: then it is to be tried again.
 */
async function envForWrites<E extends LinksEnv>(env: E): Promise<E> {
  const moves = movesOf(env);
  if (moves.length === 0) return env;
  const closed = new Map<string, ReadonlySet<string>>();
  await Promise.all(
    moves.map(async ({ name, database }) => {
      closed.set(name, await readClosedBuckets(database));
    }),
  );
  const { places } = parseDatabaseMap(env.LINK_DATABASES);
  const resolved = places.map(({ database, source }, bucket) => {
    const isOpen = source !== null && !closed.get(source)?.has(bucketText(bucket));
    return { database: isOpen ? source : database, source: null };
  });
  const sources = moves.map(({ name, database }) => {
    const open = places.flatMap(({ source }, bucket) =>
      source === name && !closed.get(name)?.has(bucketText(bucket)) ? [bucketText(bucket)] : [],
    );
    return [name, guardedDatabase(database, GUARD_SQL, JSON.stringify(open))];
  });
  return { ...env, ...Object.fromEntries(sources), LINK_DATABASES: formatDatabaseMap(resolved) };
}

/** A trigger lets it fail where it finds a row. */
const GUARD_SQL = "UPDATE moved_buckets SET bucket = bucket WHERE bucket IN (SELECT value FROM json_each(?1))";

/** Moves links of closed buckets to the target, if they are not there yet. */
async function bringLinks(env: LinksEnv, links: readonly WrittenLink[]): Promise<void> {
  if (movesOf(env).length === 0) return;
  const moving = Map.groupBy(links, (link) => sourceDatabase(env, link));
  for (const [source, theirs] of moving) {
    if (!source) continue;
    const closed = await readClosedBuckets(source);
    await moveWrittenLinks(
      env,
      source,
      theirs.filter((link) => closed.has(bucketTextOf(link))),
    );
  }
}

/**
 * Where links are to be written, at the time of asking: what is written there may fail (`isBucketMovedError`), and is then
 * to be asked again.
 */
export async function databasesToWrite<Key extends WrittenLink>(
  env: LinksEnv,
  links: readonly Key[],
): Promise<Map<D1Database, Key[]>> {
  const writeEnv = await envForWrites(env);
  // Afterwards: what is closed for the environment is brought as well.
  await bringLinks(env, links);
  return groupByDatabase(writeEnv, links);
}

/**
 * Writes links where they are. While buckets move, `write` may run twice: a database that refuses has written nothing, the
 * others may have.
 * @param write  gets the links of each database
 * @throws TimeoutError, which the API answers with 503; what was sent may be written later
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
    if (!isBucketMovedError(error) || movesOf(env).length === 0) throw error;
    return attempt();
  }
}

/** The same for one link. */
export function writeLinkIn<T>(
  env: LinksEnv,
  link: WrittenLink,
  write: (database: D1Database) => Promise<T>,
): Promise<T> {
  return writeLinksIn(env, [link], (groups) => write(groups.keys().next().value ?? linksDatabase(env, link)));
}

async function readClosedBuckets(source: D1Database): Promise<ReadonlySet<string>> {
  const { results } = await source
    .withSession("first-primary")
    .prepare("SELECT bucket FROM moved_buckets")
    .all<{ bucket: string }>();
  return new Set(results.map(({ bucket }) => bucket));
}

function bucketTextOf(link: WrittenLink): string {
  return bucketText("id" in link ? bucketOfId(link.id) : bucketOfAddress(link.domain, link.slug));
}

async function moveWrittenLinks(env: LinksEnv, source: D1Database, links: readonly WrittenLink[]): Promise<void> {
  const byTarget = Map.groupBy(links, (link) => linksDatabase(env, link));
  await Promise.all(
    [...byTarget].map(async ([target, theirs]) => {
      for (const key of await findKeys(source, theirs)) await moveLinks(source, target, [key]);
    }),
  );
}

/** The primary keys of those that the source still has. An address has those links too that visitors could mean by it. */
async function findKeys(source: D1Database, links: readonly WrittenLink[]): Promise<LinkPrimaryKey[]> {
  const keys = links.flatMap((link) => ("id" in link ? [[link.accountId, link.mode, link.id]] : []));
  const addresses = links.flatMap((link) => {
    if ("id" in link) return [];
    const { from, to } = conflictingSlugs(link.slug);
    return [[link.domain, link.slug, from, to]];
  });
  const { results } = await source
    .withSession("first-primary")
    .prepare(
      `SELECT l.account_id, l.mode, l.id FROM json_each(?1) k CROSS JOIN links l
         ON l.account_id = k.value ->> 0 AND l.mode = k.value ->> 1 AND l.id = k.value ->> 2
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON l.domain = a.value ->> 0 AND l.slug = a.value ->> 1
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON l.domain = a.value ->> 0 AND l.slug BETWEEN a.value ->> 2 AND a.value ->> 3`,
    )
    .bind(JSON.stringify(keys), JSON.stringify(addresses))
    .all<LinkPrimaryKey>();
  return results;
}
