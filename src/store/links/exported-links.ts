/** All links of an account with all their members, deleted ones included: the operator's export. */
import type { Mode } from "../../core/account.ts";
import { type LinkRecord, linkRecordOf, type LinkRow } from "./link-rows.ts";
import { type LinksEnv, queryLinkDatabases, readLinkIn } from "./links-database.ts";

/** In the order of their ids, which is that of their creation. Links whose clicks are erased are left out. */
export async function listExportedLinks(
  env: LinksEnv,
  { id, mode }: { id: string; mode: Mode },
  { after, limit }: { after: string; limit: number },
): Promise<LinkRecord[]> {
  const found = await queryLinkDatabases<LinkRow>(
    env,
    (row) => row.id,
    async (database) => {
      const sql = `SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id > ?3 AND erase_at IS NULL
       ORDER BY id LIMIT ?4`;
      return (await database.prepare(sql).bind(id, mode, after, limit).all<LinkRow>()).results;
    },
  );
  const rows = found.sort((one, other) => (one.id < other.id ? -1 : 1));
  return rows.slice(0, limit).map(linkRecordOf);
}

export async function findExportedLink(
  env: LinksEnv,
  account: { id: string; mode: Mode },
  id: string,
): Promise<LinkRecord | null> {
  const row = await readLinkIn(env, { id }, (database) =>
    database
      .prepare("SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND erase_at IS NULL")
      .bind(account.id, account.mode, id)
      .first<LinkRow>(),
  );
  return row && linkRecordOf(row);
}
