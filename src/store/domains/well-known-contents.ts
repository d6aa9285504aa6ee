/** Files of domains for apps, as read by visits. */
import type { WellKnownFile } from "../../core/domains/well-known-files.ts";
import { queryRows } from "../statements.ts";

export interface FileKey {
  name: string;
  domain: string;
  file: WellKnownFile;
}

/**
 * Returns the JSON texts of files set by the verified owners of domains, by the keys' names. A replica may lag by any
 * time, so the primary is read.
 */
export async function findWellKnownContents(env: Env, keys: readonly FileKey[]): Promise<Map<string, string>> {
  const sql = `SELECT wanted.value ->> 'name' AS name, d.well_known -> ('$."' || (wanted.value ->> 'file') || '"') AS content
    FROM json_each(?1) wanted
    CROSS JOIN domains d ON d.domain = wanted.value ->> 'domain' AND d.verified_at IS NOT NULL
    WHERE content IS NOT NULL AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = d.account_id)`;
  const primary = env.DB.withSession("first-primary");
  const rows = await queryRows<{ name: string; content: string }>(primary, sql, [JSON.stringify(keys)]);
  return new Map(rows.map(({ name, content }) => [name, content]));
}
