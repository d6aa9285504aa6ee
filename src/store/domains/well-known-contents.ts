/** Files of domains for apps, as read by visits. */
import type { WellKnownFile } from "../../core/domains/well-known-files.ts";

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
  const { results } = await env.DB.withSession("first-primary")
    .prepare(
      `SELECT wanted.value ->> 'name' AS name, d.well_known -> ('$."' || (wanted.value ->> 'file') || '"') AS content
       FROM json_each(?1) wanted
       CROSS JOIN domains d ON d.domain = wanted.value ->> 'domain' AND d.verified_at IS NOT NULL
       WHERE content IS NOT NULL AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = d.account_id)`,
    )
    .bind(JSON.stringify(keys))
    .all<{ name: string; content: string }>();
  return new Map(results.map(({ name, content }) => [name, content]));
}
