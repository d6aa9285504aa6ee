/**
 * The tags of an account. Triggers count the links of each tag (schema.sql), so a page reads one row per tag, no matter
 * how many links have it.
 */
import type { ListTagsQuery } from "../../core/contract/links.ts";
import { tagKey } from "../../core/links/case-folding.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { type Page, prepareNamed } from "../statements.ts";
import { askEachDatabase, sumInDatabases } from "../directory/directory.ts";
import { answerInTime } from "../timeout.ts";

interface TagRecord {
  /** The compared form (core/links/case-folding.ts). */
  tag: string;
  /** As last typed. */
  name: string;
  /** Links with the tag that are not deleted. */
  links: number;
}

/** Appended to a prefix, sorts after every tag with that prefix: no character is greater. */
const LAST_CHARACTER = "\u{10FFFF}";

const LIST_SQL = `SELECT tag, name, links, typed_at FROM tags
  WHERE account_id = :account_id AND mode = :mode AND tag >= max(:cursor, :first) AND tag < :end
  ORDER BY tag LIMIT :limit`;

/** Lists tags in the order of their keys. */
export async function listTags(
  env: Env,
  caller: Caller,
  { cursor = "", limit, search = "" }: ListTagsQuery,
): Promise<Page<TagRecord>> {
  const first = tagKey(search);
  const values = {
    account_id: caller.accountId,
    mode: caller.mode,
    cursor,
    first,
    end: first + LAST_CHARACTER,
    limit: limit + 1,
  };
  const found = mergedTags(await rowsOfAll(env, LIST_SQL, values));
  return { items: found.slice(0, limit), nextCursor: found[limit]?.tag ?? null };
}

const NAMES_SQL = `SELECT t.tag, t.name, t.links, t.typed_at FROM json_each(:tags) wanted
  CROSS JOIN tags t ON t.account_id = :account_id AND t.mode = :mode AND t.tag = wanted.value`;

/** Returns tags as last typed, by their keys. Leaves out tags that no link has anymore. */
export async function readTagNames(
  env: Env,
  { accountId, mode }: Caller,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await rowsOfAll(env, NAMES_SQL, { account_id: accountId, mode, tags: JSON.stringify(keys) });
  return new Map(mergedTags(rows).map(({ tag, name }) => [tag, name]));
}

/** Returns a number that grows with every change of the tags of an account's links. */
export async function countTagChanges(env: Env, accountId: string): Promise<number> {
  const sql = "SELECT tag_changes AS n FROM link_counts WHERE account_id = ?1";
  return answerInTime(sumInDatabases(env, (database) => database.prepare(sql).bind(accountId)));
}

/** A tag with the time at which its name was typed, epoch ms. */
type TagRow = TagRecord & { typed_at: number };

async function rowsOfAll(env: Env, sql: string, values: Record<string, string | number>): Promise<TagRow[]> {
  const found = await askEachDatabase(env, (database) =>
    answerInTime(prepareNamed(database, sql, values).all<TagRow>()),
  );
  return found.flatMap(({ results }) => results);
}

/**
 * Returns one row per tag, as last typed. Each database counts its own links; while links move, a tag may briefly count
 * them twice. Tags are compared as SQLite compares texts: JavaScript compares halves of characters, which sorts emoji
 * before some letters.
 */
function mergedTags(rows: readonly TagRow[]): TagRecord[] {
  const merged = new Map<string, TagRow>();
  for (const row of rows) {
    const known = merged.get(row.tag);
    const last = known && isTypedLater(known, row) ? known : row;
    merged.set(row.tag, { ...last, links: row.links + (known?.links ?? 0) });
  }
  return [...merged.values()]
    .map(({ tag, name, links }) => ({ tag, name, links }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.tag), Buffer.from(other.tag)));
}

/** For equal times, consistently prefers the greater name. */
function isTypedLater(one: TagRow, other: TagRow): boolean {
  return one.typed_at === other.typed_at ? one.name > other.name : one.typed_at > other.typed_at;
}
