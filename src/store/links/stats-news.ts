/** A link object's fallback to announce that it has clicks. A separate module, so that the object imports no more. */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { linksDatabase } from "../directory/databases.ts";

export async function addStatsNews(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  await linksDatabase(env, { id })
    .prepare("INSERT INTO stats_news (account_id, mode, link_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
    .bind(accountId, mode, id)
    .run();
}
