/** Saved views of an account in D1, by name. Every statement names the account: another account's views do not exist. */
import type { SavedView } from "../../core/contract/dashboard.ts";
import { ApiError } from "../../core/errors.ts";
import { SAVED_VIEWS_MAX } from "../../core/limits.ts";

type Database = Pick<Env, "DB">;

export async function listSavedViews({ DB }: Database, accountId: string): Promise<SavedView[]> {
  const sql = "SELECT name, query FROM saved_views WHERE account_id = ?1 ORDER BY name COLLATE NOCASE, name";
  return (await DB.prepare(sql).bind(accountId).all<SavedView>()).results;
}

/**
 * Replaces the view of this name. The inserting statement counts the others, so concurrent requests cannot exceed the
 * quota.
 * @throws ApiError quota_exceeded
 */
export async function saveView({ DB }: Database, accountId: string, { name, query }: SavedView): Promise<void> {
  const sql = `INSERT INTO saved_views (account_id, name, query) SELECT ?1, ?2, ?3
    WHERE (SELECT count(*) FROM saved_views WHERE account_id = ?1 AND name <> ?2) < ?4
    ON CONFLICT DO UPDATE SET query = excluded.query`;
  const { meta } = await DB.prepare(sql).bind(accountId, name, query, SAVED_VIEWS_MAX).run();
  if (meta.changes > 0) return;
  const message = `This account has ${SAVED_VIEWS_MAX} saved views, the maximum. Delete one first.`;
  throw new ApiError("quota_exceeded", message);
}

/** @returns false if the account has no such view */
export async function deleteSavedView({ DB }: Database, accountId: string, name: string): Promise<boolean> {
  const sql = "DELETE FROM saved_views WHERE account_id = ?1 AND name = ?2";
  return (await DB.prepare(sql).bind(accountId, name).run()).meta.changes > 0;
}
