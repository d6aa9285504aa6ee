/**
 * The tables whose rows are deleted with their account. A test lists why each other table is excluded, so it fails for
 * a new table. The names are constants, never input.
 */
import { workInOneDatabase } from "../directory/directory.ts";

/** The tables with their primary keys. @internal */
export const ERASED_TABLES: Readonly<Record<string, readonly string[]>> = {
  alias_domains: ["account_id", "mode", "domain", "link_id"],
  api_keys: ["id"],
  bulk_counts: ["account_id"],
  credentials: ["id"],
  domains: ["account_id", "mode", "id"],
  feeds: ["account_id", "mode"],
  idempotency: ["account_id", "mode", "key_hash"],
  idempotency_counts: ["account_id"],
  imported_links: ["account_id", "mode", "import_id", "link_id"],
  image_releases: ["due_at", "account_id", "mode", "image"],
  link_counts: ["account_id"],
  link_notes: ["account_id", "mode", "link_id", "id"],
  link_qr_counts: ["account_id", "link_id"],
  link_revisions: ["account_id", "mode", "link_id", "revision"],
  link_tags: ["account_id", "mode", "tag", "link_id"],
  operator_tokens: ["token_hash"],
  passkeys: ["id"],
  qr_codes: ["account_id", "mode", "id"],
  qr_counts: ["account_id"],
  request_shares: ["account_id", "mode", "key_hash"],
  saved_views: ["account_id", "name"],
  sessions: ["id"],
  shares: ["account_id", "mode", "id"],
  slug_cases: ["account_id", "mode", "domain"],
  social_image_counts: ["account_id"],
  social_images: ["account_id", "mode", "id"],
  stats_news: ["account_id", "mode", "link_id"],
  tags: ["account_id", "mode", "tag"],
  totp_factors: ["account_id"],
  utm_templates: ["account_id", "id"],
};

const CHUNK_ROWS = 1_000;

/** Whether an account, `?1`, has a row that is deleted with it. */
const HAS_ROWS_SQL = `SELECT ${Object.keys(ERASED_TABLES)
  .map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE account_id = ?1)`)
  .join(" OR ")} AS has_rows`;

/**
 * Deletes some of an account's rows in each table of one database: all databases would need more statements than
 * Workers' Free plan allows an invocation.
 * @returns whether none are left in any database
 */
export async function eraseAccountRows(env: Env, accountId: string): Promise<boolean> {
  const hadRows = await workInOneDatabase(env, async (database) => {
    const hasRows = await database.prepare(HAS_ROWS_SQL).bind(accountId).first<number>("has_rows");
    if (hasRows !== 0) await eraseRowsIn(database, accountId);
    return hasRows !== 0;
  });
  return !hadRows;
}

async function eraseRowsIn(database: D1Database, accountId: string): Promise<void> {
  const deletions = Object.entries(ERASED_TABLES).map(([table, columns]) => {
    const key = columns.join(", ");
    return database
      .prepare(`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = ?1 LIMIT ?2)`)
      .bind(accountId, CHUNK_ROWS);
  });
  await database.batch(deletions);
}
