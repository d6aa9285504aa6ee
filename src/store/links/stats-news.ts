/** A link object's fallback to announce that it has clicks. A separate module, so that the object imports no more. */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { linksDatabase } from "../directory/databases.ts";
import { changeRows } from "../statements.ts";

export async function addStatsNews(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  const sql = "INSERT INTO stats_news (account_id, mode, link_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
  await changeRows(linksDatabase(env, { id }), sql, [accountId, mode, id]);
}
