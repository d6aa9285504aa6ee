/**
 * Feeds after a restore. No backup has their events, but clients come back with cursors of the lost log: they get a gap,
 * and read what they missed from the click logs.
 */
import { MODES } from "../../core/account.ts";
import type { JsonRow } from "../../core/contract/backup.ts";
import { restoreFeed } from "../feed-object-client.ts";

/** @param rows  of the table `feeds`, which get no rows here: nobody streams yet */
export async function restoreFeeds(env: Env, rows: readonly JsonRow[]): Promise<void> {
  const feeds = rows.flatMap(({ account_id, mode }) => {
    const known = MODES.find((each) => each === mode);
    return known ? [{ accountId: String(account_id), mode: known }] : [];
  });
  await Promise.all(feeds.map(({ accountId, mode }) => restoreFeed(env, accountId, mode)));
}
