/** The number of clicks that another service has counted for a link (store/click-imports.ts). */
import type { Caller } from "../accounts/api-keys.ts";
import { writeLinkIn } from "../directory/directory.ts";
import type { LinkRow } from "./link-rows.ts";

/**
 * Sets the sum of an import, or removes it.
 * @param value  JSON text, or null
 * @returns null if nothing has changed, or if the link has the sum of another import
 */
export function storeClicksBefore(
  env: Env,
  { accountId, mode }: Caller,
  id: string,
  importId: string,
  value: string | null,
): Promise<LinkRow | null> {
  return writeLinkIn(env, { accountId, mode, id }, (database) =>
    database
      .prepare(
        `UPDATE links SET clicks_before = ?4, updated_at = max(?5, updated_at + 1), revision = revision + 1
         WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL AND clicks_before IS NOT ?4
           AND coalesce(clicks_before ->> 'import', ?6) = ?6 RETURNING *`,
      )
      .bind(accountId, mode, id, value, Date.now(), importId)
      .first<LinkRow>(),
  );
}
