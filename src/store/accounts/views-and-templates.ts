/**
 * Saved views of the list of links, by name, and UTM templates, in D1. Every statement names the account: those of
 * another account do not exist.
 */
import type { SavedView, UtmTemplate, UtmTemplateIn } from "../../core/contract/dashboard.ts";
import { ApiError } from "../../core/errors.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
import { SAVED_VIEWS_MAX, UTM_TEMPLATES_MAX } from "../../core/limits.ts";
import { queryRows, changeRows } from "../statements.ts";

type Database = Pick<Env, "DB">;

export async function listSavedViews({ DB }: Database, accountId: string): Promise<SavedView[]> {
  const sql = "SELECT name, query FROM saved_views WHERE account_id = ?1 ORDER BY name COLLATE NOCASE, name";
  return queryRows<SavedView>(DB, sql, [accountId]);
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
  const changes = await changeRows(DB, sql, [accountId, name, query, SAVED_VIEWS_MAX]);
  if (changes > 0) return;
  const message = `This account has ${SAVED_VIEWS_MAX} saved views, the maximum. Delete one first.`;
  throw new ApiError("quota_exceeded", message);
}

/** @returns false if the account has no such view */
export async function deleteSavedView({ DB }: Database, accountId: string, name: string): Promise<boolean> {
  const sql = "DELETE FROM saved_views WHERE account_id = ?1 AND name = ?2";
  return (await changeRows(DB, sql, [accountId, name])) > 0;
}

interface TemplateRow {
  id: string;
  name: string;
  parameters: string;
}

/** In the order of their names. */
export async function listUtmTemplates({ DB }: Database, accountId: string): Promise<UtmTemplate[]> {
  const sql = "SELECT id, name, parameters FROM utm_templates WHERE account_id = ?1 ORDER BY name COLLATE NOCASE, id";
  const results = await queryRows<TemplateRow>(DB, sql, [accountId]);
  return results.map(({ id, name, parameters }) => ({ id, name, ...(JSON.parse(parameters) as object) }));
}

/**
 * The inserting statement counts the existing ones, so concurrent requests cannot exceed the quota.
 * @throws ApiError quota_exceeded
 */
export async function createUtmTemplate(
  { DB }: Database,
  accountId: string,
  { name, ...parameters }: UtmTemplateIn,
): Promise<UtmTemplate> {
  const id = timeOrderedId("utm_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
  const sql = `INSERT INTO utm_templates (account_id, id, name, parameters) SELECT ?1, ?2, ?3, ?4
    WHERE (SELECT count(*) FROM utm_templates WHERE account_id = ?1) < ?5`;
  const changes = await changeRows(DB, sql, [accountId, id, name, JSON.stringify(parameters), UTM_TEMPLATES_MAX]);
  if (changes > 0) return { id, name, ...parameters };
  const message = `This account has ${UTM_TEMPLATES_MAX} UTM templates, the maximum. Delete one first.`;
  throw new ApiError("quota_exceeded", message);
}

/** @returns null if the account has no such template */
export async function changeUtmTemplate(
  { DB }: Database,
  accountId: string,
  id: string,
  { name, ...parameters }: UtmTemplateIn,
): Promise<UtmTemplate | null> {
  const sql = "UPDATE utm_templates SET name = ?3, parameters = ?4 WHERE account_id = ?1 AND id = ?2";
  return (await changeRows(DB, sql, [accountId, id, name, JSON.stringify(parameters)])) > 0
    ? { id, name, ...parameters }
    : null;
}

/** @returns false if the account has no such template */
export async function deleteUtmTemplate({ DB }: Database, accountId: string, id: string): Promise<boolean> {
  const sql = "DELETE FROM utm_templates WHERE account_id = ?1 AND id = ?2";
  return (await changeRows(DB, sql, [accountId, id])) > 0;
}
