/**
 * Queries of the object that holds an account's clicks (clicks/account): the account's participation in statistics, its
 * links, and their tags. A separate module, so that the object imports no other link queries. Every function takes the
 * account and the mode of the object.
 */
import type { AccountReference, LinkToDraw } from "../../core/clicks/protocol/account-object-rpc.ts";
import {
  askEachDatabase,
  queryLinkDatabases,
  selectLinkPage,
  selectLinks,
  sumInDatabases,
} from "../directory/directory.ts";
import { changeRows, queryRows } from "../statements.ts";

/** The period in which links announce their clicks to the account's object, epoch ms. */
export interface Participation {
  since: number;
  until: number;
}

interface LinkToDrawRow {
  id: string;
  domain: string;
  slug: string;
  object_name: string | null;
}

/** Saves what redirects read with a link, and pass to the link's object. */
export async function saveParticipation(
  env: Env,
  { accountId, mode }: AccountReference,
  { since, until }: Participation,
): Promise<void> {
  const sql = `INSERT INTO feeds (account_id, mode, since, until, stats_since, stats_until) VALUES (?1, ?2, 0, 0, ?3, ?4)
    ON CONFLICT (account_id, mode) DO UPDATE SET stats_since = ?3, stats_until = ?4`;
  await askEachDatabase(env, (database) => changeRows(database, sql, [accountId, mode, since, until]));
}

export interface AccountNews {
  /** As stored in the database: after a restore of the database, it differs from the value saved. */
  participation: Participation | null;
  /** Some of the links that could not announce their clicks. */
  links: LinkToDraw[];
  /** Ids of some of the links whose clicks are to be erased. */
  erased: string[];
  hasMore: boolean;
}

type NewsRow = LinkToDrawRow & { is_erased: number };

const NEWS_PAGE_ROWS = 5_000;

/** Reads the primary, which has all earlier writes. */
export async function readNews(env: Env, { accountId, mode }: AccountReference): Promise<AccountNews> {
  const answers = await askEachDatabase(env, (database) => {
    const session = database.withSession("first-primary");
    return session.batch([
      session
        .prepare("SELECT stats_since, stats_until FROM feeds WHERE account_id = ?1 AND mode = ?2")
        .bind(accountId, mode),
      session
        .prepare(
          `SELECT l.id, l.domain, l.slug, l.object_name, l.erase_at IS NOT NULL AS is_erased
           FROM stats_news n CROSS JOIN links l
           ON l.account_id = n.account_id AND l.mode = n.mode AND l.id = n.link_id
           WHERE n.account_id = ?1 AND n.mode = ?2 LIMIT ?3`,
        )
        .bind(accountId, mode, NEWS_PAGE_ROWS),
    ]);
  });
  const participations = answers.flatMap(
    ([feeds]) => (feeds?.results ?? []) as { stats_since: number; stats_until: number }[],
  );
  const rows = answers.flatMap(([, news]) => (news?.results ?? []) as NewsRow[]);
  const [oldest] = participations.sort((one, other) => one.stats_since - other.stats_since);
  return {
    participation:
      oldest && participations.length === answers.length
        ? { since: oldest.stats_since, until: oldest.stats_until }
        : null,
    links: rows.filter((row) => !row.is_erased).map(linkToDrawOf),
    erased: rows.filter((row) => row.is_erased).map(({ id }) => id),
    hasMore: answers.some(([, news]) => news?.results.length === NEWS_PAGE_ROWS),
  };
}

/**
 * Deletes the rows that `readNews` found, once the account's object has stored them. A row whose link has been erased
 * since then stays: it has become a different piece of news.
 */
export async function deleteNews(
  env: Env,
  { accountId, mode }: AccountReference,
  { links, erased }: Pick<AccountNews, "links" | "erased">,
): Promise<void> {
  if (links.length === 0 && erased.length === 0) return;
  const read = JSON.stringify([...links.map(({ id }) => [id, 0]), ...erased.map((id) => [id, 1])]);
  const sql = `DELETE FROM stats_news WHERE account_id = ?1 AND mode = ?2 AND link_id IN (
    SELECT l.id FROM json_each(?3) read
    CROSS JOIN links l ON l.account_id = ?1 AND l.mode = ?2 AND l.id = read.value ->> 0
    WHERE (l.erase_at IS NOT NULL) = read.value ->> 1)`;
  await askEachDatabase(env, (database) => changeRows(database, sql, [accountId, mode, read]));
}

/** Lists links by id, including deleted ones, whose clicks are kept. Erased links have none. */
export async function listLinksToDraw(
  env: Env,
  { accountId, mode }: AccountReference,
  after: string,
  limit: number,
): Promise<LinkToDraw[]> {
  const sql = `SELECT id, domain, slug, object_name FROM links
    WHERE account_id = ?1 AND mode = ?2 AND id > ?3 AND erase_at IS NULL ORDER BY id LIMIT ?4`;
  const rows = await selectLinkPage<LinkToDrawRow>(env, { order: "ASC", limit }, (database) =>
    database.withSession("first-primary").prepare(sql).bind(accountId, mode, after, limit),
  );
  return rows.map(linkToDrawOf);
}

/** Finds the given links that are erased, or are to be. */
export async function findErasedLinks(
  env: Env,
  { accountId, mode }: AccountReference,
  links: readonly LinkToDraw[],
): Promise<Set<string>> {
  const ids = JSON.stringify(links.map(({ id }) => id));
  const sql = `SELECT l.id FROM json_each(?3) wanted
    CROSS JOIN links l ON l.account_id = ?1 AND l.mode = ?2 AND l.id = wanted.value WHERE l.erase_at IS NOT NULL`;
  const erased = await selectLinks(env, (database) =>
    database.withSession("first-primary").prepare(sql).bind(accountId, mode, ids),
  );
  return new Set(erased.map(({ id }) => id));
}

/** Total number of links in `listLinksToDraw`, shown as progress. Links that are moving may be counted twice. */
export async function countLinksToDraw(env: Env, { accountId, mode }: AccountReference): Promise<number> {
  const sql = "SELECT count(*) AS n FROM links WHERE account_id = ?1 AND mode = ?2 AND erase_at IS NULL";
  return sumInDatabases(env, (database) => database.prepare(sql).bind(accountId, mode));
}

/** Maximum rows of a page; each row is one tag of one link. */
const TAGS_PAGE_ROWS = 20_000;

interface LinkTag {
  linkId: string;
  /** The tag's key. */
  tag: string;
}

/** Reads the tags of all tagged links of the account. */
export async function readLinkTags(env: Env, { accountId, mode }: AccountReference): Promise<LinkTag[]> {
  const keyOf = ({ linkId, tag }: LinkTag) => linkId + tag;
  return queryLinkDatabases(env, keyOf, (database) => readLinkTagsIn(database, accountId, mode));
}

async function readLinkTagsIn(database: D1Database, accountId: string, mode: string) {
  const tags: LinkTag[] = [];
  const sql = `SELECT tag, link_id AS linkId FROM link_tags
    WHERE account_id = ?1 AND mode = ?2 AND (tag, link_id) > (?3, ?4) ORDER BY tag, link_id LIMIT ?5`;
  for (let after = { tag: "", linkId: "" }; ;) {
    const values = [accountId, mode, after.tag, after.linkId, TAGS_PAGE_ROWS];
    const results = await queryRows<LinkTag>(database.withSession("first-primary"), sql, values);
    tags.push(...results);
    const last = results.at(-1);
    if (!last || results.length < TAGS_PAGE_ROWS) return tags;
    after = last;
  }
}

function linkToDrawOf({ id, domain, slug, object_name }: LinkToDrawRow): LinkToDraw {
  return object_name === null ? { id, domain, slug } : { id, domain, slug, objectName: object_name };
}
