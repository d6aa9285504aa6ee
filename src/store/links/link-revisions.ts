/**
 * The history of a link. Its current revision is its row. Triggers write its state before each change to
 * `link_revisions` (schema.sql), and drop entries that are too old or exceed the limits. Changes without effect have no
 * entry, so the numbers have gaps: a click under a number without an entry saw the next entry's content.
 */
import type { RevisedContent } from "../../core/links/link-members.ts";
import type { SqlValue } from "../statements.ts";
import type { ChangeAuthor } from "../accounts/api-keys.ts";
import { isDisabled } from "./disabled-links.ts";
import type { LinkRecord } from "./link-rows.ts";
import { contentMembersOf, contentOf } from "./link-writes.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { readLinkIn } from "../directory/directory.ts";

export interface RevisionRecord {
  /** The last revision number with this content. */
  revision: number;
  content: RevisedContent;
  isDisabled: boolean;
  /** When the link got this content, epoch ms. */
  changedAt: number;
  /** Null if unknown. */
  changedBy: ChangeAuthor | null;
}

export interface RevisionPage {
  /** Newest first. */
  revisions: RevisionRecord[];
  /** The revision before the last of them; null when that one is the oldest kept. */
  before: RevisionRecord | null;
  /** Whether the history reaches back to the link's creation. */
  isComplete: boolean;
}

interface RevisionRow {
  revision: number;
  disabled_at: number | null;
  changed_at: number;
  changed_by: ChangeAuthor | null;
  /** 1 is the entry with the content at the link's creation. */
  number: number;
}

const HISTORY_SQL = "SELECT * FROM link_revisions WHERE account_id = ?1 AND mode = ?2 AND link_id = ?3";

/**
 * Lists revisions of the caller's link, which was read before: later changes are left out.
 * @param cursor  the last revision of the previous page; null for the first page
 */
export async function listRevisions(
  env: LinksEnv,
  link: LinkRecord,
  cursor: number | null,
  limit: number,
): Promise<RevisionPage> {
  const current = cursor === null || link.revision < cursor ? [currentRevision(link)] : [];
  const [first, page] = await readHistory(env, link, {
    sql: `${HISTORY_SQL} AND revision < ?4 ORDER BY revision DESC LIMIT ?5`,
    values: [Math.min(cursor ?? Infinity, link.revision), limit + 1],
  });
  const found = [...current, ...page.map(revisionOf)];
  return {
    revisions: found.slice(0, limit),
    before: found[limit] ?? null,
    isComplete: reachesCreation(first),
  };
}

/**
 * Finds the link's content at a revision. A number without an entry has the next entry's content.
 * @returns null if the revision does not exist, or is no longer stored
 */
export async function findRevision(env: LinksEnv, link: LinkRecord, revision: number): Promise<RevisionRecord | null> {
  if (revision === link.revision) return currentRevision(link);
  if (revision > link.revision) return null;
  const [oldest, [found]] = await readHistory(env, link, {
    sql: `${HISTORY_SQL} AND revision >= ?4 ORDER BY revision LIMIT 1`,
    values: [revision],
  });
  const isKept = reachesCreation(oldest) || (oldest?.revision ?? link.revision) <= revision;
  if (!isKept) return null;
  return found ? revisionOf(found) : currentRevision(link);
}

/** Reads a link's oldest entry and the entries of a query, from the link's database. */
async function readHistory(
  env: LinksEnv,
  link: LinkRecord,
  { sql, values }: { sql: string; values: SqlValue[] },
): Promise<[oldest: RevisionRow | undefined, rows: RevisionRow[]]> {
  const found = await readLinkIn(env, link, async (database) => {
    const [exists, first, rows] = await database.batch<RevisionRow>([
      database.prepare("SELECT 1 FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3").bind(...keyOf(link)),
      database.prepare(`${HISTORY_SQL} ORDER BY revision LIMIT 1`).bind(...keyOf(link)),
      database.prepare(sql).bind(...keyOf(link), ...values),
    ]);
    return exists?.results.length ? { first: first?.results[0], rows: rows?.results ?? [] } : null;
  });
  return [found?.first, found?.rows ?? []];
}

/** @param oldest  the oldest entry; undefined when there is none */
function reachesCreation(oldest: Pick<RevisionRow, "number"> | undefined): boolean {
  return oldest === undefined || oldest.number === 1;
}

function currentRevision(link: LinkRecord): RevisionRecord {
  return {
    revision: link.revision,
    content: contentMembersOf(link),
    isDisabled: link.state === "disabled",
    changedAt: link.changedAt ?? link.updatedAt,
    changedBy: link.changedBy,
  };
}

function revisionOf(row: RevisionRow): RevisionRecord {
  const { revision, disabled_at, changed_at, changed_by } = row;
  return {
    revision,
    content: contentOf(row),
    isDisabled: isDisabled(disabled_at),
    changedAt: changed_at,
    changedBy: changed_by,
  };
}

function keyOf({ accountId, mode, id }: LinkRecord): SqlValue[] {
  return [accountId, mode, id];
}
