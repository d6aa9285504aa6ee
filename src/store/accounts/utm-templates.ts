/** UTM templates in D1. Every statement names the account: another account's templates do not exist. */
import { ApiError } from "../../core/errors.ts";
import type { UtmTemplate, UtmTemplateIn } from "../../core/contract/dashboard.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
import { UTM_TEMPLATES_MAX } from "../../core/limits.ts";

type Database = Pick<Env, "DB">;

interface TemplateRow {
  id: string;
  name: string;
  parameters: string;
}

/** In the order of their names. */
export async function listUtmTemplates({ DB }: Database, accountId: string): Promise<UtmTemplate[]> {
  const sql = "SELECT id, name, parameters FROM utm_templates WHERE account_id = ?1 ORDER BY name COLLATE NOCASE, id";
  const { results } = await DB.prepare(sql).bind(accountId).all<TemplateRow>();
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
  const statement = DB.prepare(sql).bind(accountId, id, name, JSON.stringify(parameters), UTM_TEMPLATES_MAX);
  if ((await statement.run()).meta.changes > 0) return { id, name, ...parameters };
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
  const { meta } = await DB.prepare(sql).bind(accountId, id, name, JSON.stringify(parameters)).run();
  return meta.changes > 0 ? { id, name, ...parameters } : null;
}

/** @returns false if the account has no such template */
export async function deleteUtmTemplate({ DB }: Database, accountId: string, id: string): Promise<boolean> {
  const sql = "DELETE FROM utm_templates WHERE account_id = ?1 AND id = ?2";
  return (await DB.prepare(sql).bind(accountId, id).run()).meta.changes > 0;
}
