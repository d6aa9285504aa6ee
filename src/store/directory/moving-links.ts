/**
 * Decides where links are written while buckets move (bucket-moves.ts): in the source until it has closed the bucket,
 * then in the target. A link of a closed bucket that has not moved yet is moved before it is written to.
 */
import { bucketOf, bucketText } from "../../core/links/buckets.ts";
import { conflictingSlugs, slugKey } from "../../core/hosts.ts";
import {
  databaseMap,
  databaseNamed,
  type LinksEnv,
  linksDatabase,
  sourceDatabase,
  type WrittenLink,
} from "./databases.ts";
import { guardedDatabase } from "./guarded-database.ts";
import { type LinkPrimaryKey, MOVE_ALIASES_MAX, moveAliases, moveLinks } from "./moved-links.ts";

/**
 * Returns the database of each link. A write to a source fails (`bucket_moved`) if the source closes one of its buckets
 * first; then the caller retries.
 */
export async function databasesDuringMove<Key extends WrittenLink>(
  env: LinksEnv,
  links: readonly Key[],
): Promise<Map<D1Database, Key[]>> {
  const sources = await readSources(env);
  const openSourceOf = (link: Key) => {
    const source = sourceDatabase(env, link);
    return source && !sources.get(source)?.closed.has(bucketText(bucketOf(link))) ? source : null;
  };
  const brought = links.filter((link) => openSourceOf(link) === null);
  await bringLinks(env, brought);
  return Map.groupBy(links, (link) => {
    const database = openSourceOf(link) ?? linksDatabase(env, link);
    return sources.get(database)?.guarded ?? database;
  });
}

/** A database that buckets move from. */
interface Source {
  /** The buckets that it has closed, as the suffix of a link id. */
  closed: ReadonlySet<string>;
  /** Refuses every write once it has closed another bucket. */
  guarded: D1Database;
}

async function readSources(env: LinksEnv): Promise<ReadonlyMap<D1Database, Source>> {
  const { places } = databaseMap(env);
  const names = [...new Set(places.flatMap(({ source }) => source ?? []))];
  const sources = names.map(async (name): Promise<[D1Database, Source]> => {
    const database = databaseNamed(env, name);
    const closed = await readClosedBuckets(database);
    const open = places.flatMap(({ source }, bucket) => (source === name ? bucketText(bucket) : []));
    const guard = JSON.stringify(open.filter((bucket) => !closed.has(bucket)));
    return [database, { closed, guarded: guardedDatabase(database, GUARD_SQL, guard) }];
  });
  return new Map(await Promise.all(sources));
}

/** A trigger makes it fail if it finds a row. */
const GUARD_SQL = "UPDATE moved_buckets SET bucket = bucket WHERE bucket IN (SELECT value FROM json_each(?1))";

/** Moves links of closed buckets to their target, if they have not moved yet. */
async function bringLinks(env: LinksEnv, links: readonly WrittenLink[]): Promise<void> {
  for (const [source, theirs] of Map.groupBy(links, (link) => sourceDatabase(env, link))) {
    if (source) await moveWrittenLinks(env, source, theirs);
  }
}

async function readClosedBuckets(source: D1Database): Promise<ReadonlySet<string>> {
  const { results } = await source
    .withSession("first-primary")
    .prepare("SELECT bucket FROM moved_buckets")
    .all<{ bucket: string }>();
  return new Set(results.map(({ bucket }) => bucket));
}

async function moveWrittenLinks(env: LinksEnv, source: D1Database, links: readonly WrittenLink[]): Promise<void> {
  const byTarget = Map.groupBy(links, (link) => linksDatabase(env, link));
  await Promise.all(
    [...byTarget].map(async ([target, theirs]) => {
      for (const key of await findKeys(source, theirs)) await moveLinks(source, target, [key]);
      const addresses = theirs.flatMap((link) => ("id" in link ? [] : [[link.domain, link.slug, segmentOf(link)]]));
      if (addresses.length === 0) return;
      const json = JSON.stringify(addresses);
      while ((await moveAliases(source, target, NAMED_ALIASES, json)) === MOVE_ALIASES_MAX);
    }),
  );
}

/** Also the aliases that decide who has an address's first segment (`segmentOwnerSql`). */
const NAMED_ALIASES = `(SELECT value ->> 0 AS domain, value ->> 1 AS slug FROM json_each(?1)
  UNION SELECT value ->> 0, value ->> 2 FROM json_each(?1)
  UNION SELECT value ->> 0, (SELECT slug FROM link_aliases
    WHERE domain = value ->> 0 AND slug > value ->> 2 || '/' AND slug < value ->> 2 || '0' LIMIT 1) FROM json_each(?1)
  ) named CROSS JOIN link_aliases a ON a.domain = named.domain AND a.slug = named.slug`;

function segmentOf({ slug }: { slug: string }): string {
  return slugKey(slug).split("/", 1)[0] ?? "";
}

/**
 * Primary keys of links still in the source. An address includes links that visitors could mean by it, and the link that
 * decides who has its first segment (`segmentOwnerSql`).
 */
async function findKeys(source: D1Database, links: readonly WrittenLink[]): Promise<LinkPrimaryKey[]> {
  const keys = links.flatMap((link) => ("id" in link ? [[link.accountId, link.mode, link.id]] : []));
  const addresses = links.flatMap((link) => {
    if ("id" in link) return [];
    const { from, to } = conflictingSlugs(link.slug);
    return [[link.domain, link.slug, from, to, segmentOf(link)]];
  });
  const { results } = await source
    .withSession("first-primary")
    .prepare(
      `SELECT l.account_id, l.mode, l.id FROM json_each(?1) k CROSS JOIN links l
         ON l.account_id = k.value ->> 0 AND l.mode = k.value ->> 1 AND l.id = k.value ->> 2
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON l.domain = a.value ->> 0 AND l.slug = a.value ->> 1
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON l.domain = a.value ->> 0 AND l.slug BETWEEN a.value ->> 2 AND a.value ->> 3
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON l.domain = a.value ->> 0 AND l.slug = a.value ->> 4
       UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
         ON (l.domain, l.slug) = (SELECT domain, slug FROM links
           WHERE domain = a.value ->> 0 AND slug > a.value ->> 4 || '/' AND slug < a.value ->> 4 || '0' LIMIT 1)`,
    )
    .bind(JSON.stringify(keys), JSON.stringify(addresses))
    .all<LinkPrimaryKey>();
  return results;
}
