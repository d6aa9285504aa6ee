/** The operator's view of links: lists links in every state, including deleted ones, and disables them. */
import type { Mode } from "../../core/account.ts";
import { ApiError } from "../../core/errors.ts";
import { storedForms } from "../../core/hosts.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { readLinkIn, selectLinkPage, writeLinkIn } from "../directory/directory.ts";
import { prepareNamed, queryRow } from "../statements.ts";
import type { ChangeAuthor } from "../accounts/api-keys.ts";
import type { LinkPrimaryKey } from "../directory/moved-links.ts";
import { isDisabledSql } from "./disabled-links.ts";
import { currentTenureSql } from "./domain-joins.ts";
import { type LinkRecord, linkRecordOf, type LinkRow } from "./link-rows.ts";
import { CHANGED_AT_SQL } from "./link-writes.ts";

const IS_DISABLED_SQL = isDisabledSql("disabled_at");

type AccountLink = Pick<LinkRecord, "id" | "domain" | "slug" | "url" | "state" | "createdAt"> & {
  typedSlug: string | null;
};

/** Lists newest first, paginated by id, which begins with the creation time. */
export async function listAccountLinks(
  env: LinksEnv,
  account: { id: string; mode: Mode },
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<{ links: AccountLink[]; hasMore: boolean }> {
  const sql = `SELECT id, domain, slug, typed_slug AS typedSlug, url, created_at AS createdAt,
      iif(deleted_at IS NOT NULL, 'deleted', iif(${IS_DISABLED_SQL}, 'disabled', 'active')) AS state
    FROM links WHERE account_id = ?1 AND mode = ?2 AND id < coalesce(?3, '~') ORDER BY id DESC LIMIT ?4`;
  const page = { order: "DESC", limit: limit + 1 } as const;
  const rows = await selectLinkPage<AccountLink>(env, page, (database) =>
    database.prepare(sql).bind(account.id, account.mode, cursor, page.limit),
  );
  return { links: rows.slice(0, limit), hasMore: rows.length > limit };
}

/**
 * Disables or enables a link. Isolates apply the change within ten seconds; the maintenance object notifies the link's
 * object (store/links/outbox.ts).
 * @param slug  also that of an alias
 * @returns the link's id; null if no link has this address, or only a former domain holder's link has it
 */
export async function setLinkDisabled(
  env: LinksEnv,
  domain: string,
  slug: string,
  disabled: boolean,
): Promise<string | null> {
  const [any_case, exact] = storedForms(slug);
  const values = { disables: disabled ? 1 : 0, now: Date.now(), changed_by: DISABLED_BY };
  const address = { domain, slug: any_case };
  const row = await writeLinkIn(env, address, (database) =>
    prepareNamed(database, DISABLE_AT_SQL, { ...values, domain, any_case, exact }).first<{ id: string }>(),
  );
  if (row) return row.id;
  const key = await readLinkIn(env, address, (database) =>
    prepareNamed(database, ALIASED_SQL, { domain, any_case, exact }).first<LinkPrimaryKey>(),
  );
  if (!key) return null;
  const aliased = await writeLinkIn(env, { ...key, accountId: key.account_id }, (database) =>
    prepareNamed(database, DISABLE_ALIASED_SQL, { ...values, ...key, domain, any_case, exact }).first<{ id: string }>(),
  );
  return aliased?.id ?? null;
}

const DISABLED_BY: ChangeAuthor = "operator";

/** Keeps the 0 of a restricted link; `links_restricted` writes it again when the link is enabled. */
const disableSql = (condition: string) => `UPDATE links SET
    disabled_at = iif(${IS_DISABLED_SQL} = :disables, disabled_at, iif(:disables, :now, NULL)),
    changed_at = iif(${IS_DISABLED_SQL} = :disables, changed_at, ${CHANGED_AT_SQL}),
    changed_by = iif(${IS_DISABLED_SQL} = :disables, changed_by, :changed_by), revision = revision + 1
  WHERE deleted_at IS NULL AND ${condition} RETURNING id`;

const DISABLE_AT_SQL = disableSql(
  `domain = :domain AND slug IN (:any_case, :exact) AND tenure = ${currentTenureSql(":domain")}`,
);

const ALIASED_SQL = `SELECT account_id, mode, link_id AS id FROM link_aliases
  WHERE domain = :domain AND slug IN (:any_case, :exact) AND tenure = ${currentTenureSql(":domain")}`;

/** The link must still have the alias. */
const DISABLE_ALIASED_SQL = disableSql(`account_id = :account_id AND mode = :mode AND id = :id
    AND EXISTS (SELECT 1 FROM json_each(aliases)
      WHERE value ->> 0 = :domain AND lower(value ->> 1) IN (lower(:any_case), lower(:exact)))`);

/** Lists links in id order, which is creation order. Leaves out links whose clicks are erased. */
export async function listExportedLinks(
  env: LinksEnv,
  { id, mode }: { id: string; mode: Mode },
  { after, limit }: { after: string; limit: number },
): Promise<LinkRecord[]> {
  const sql = `SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id > ?3 AND erase_at IS NULL
    ORDER BY id LIMIT ?4`;
  const rows = await selectLinkPage<LinkRow>(env, { order: "ASC", limit }, (database) =>
    database.prepare(sql).bind(id, mode, after, limit),
  );
  return rows.map(linkRecordOf);
}

/** @throws ApiError link_not_found */
export async function readExportedLink(
  env: LinksEnv,
  account: { id: string; mode: Mode },
  id: string,
): Promise<LinkRecord> {
  const sql = "SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND erase_at IS NULL";
  const row = await readLinkIn(env, { id }, (database) =>
    queryRow<LinkRow>(database, sql, [account.id, account.mode, id]),
  );
  if (!row) throw new ApiError("link_not_found");
  return linkRecordOf(row);
}
