/**
 * The restore of a backup, as the installation remembers it: only an empty one takes a backup, one at a time, and an
 * interrupted restore of the same backup goes on. Accounts come last, so that nobody can change what is half restored.
 */
import { MODES } from "../../core/account.ts";
import type { JsonRow } from "../../core/contract/backup.ts";
import { restoreFeed } from "../feed-object-client.ts";
import { countLinksAnew, hasLinks } from "../links/restored-links.ts";
import { hasAccounts } from "../operators/first-account.ts";
import type { BackedUpTableName } from "./backed-up-tables.ts";
import { insertTableRows } from "./table-rows.ts";

/** Accounts whose links and codes are counted by one statement. */
const COUNTED_ACCOUNTS = 20;

export type RestoreState = { kind: "under_way"; steps: number } | { kind: "refused"; message: string };

interface RestoreRow {
  backup_id: string;
  finished_at: number | null;
  steps: number;
}

export async function beginRestore(env: Env, backupId: string): Promise<RestoreState> {
  const known = await env.DB.prepare("SELECT backup_id, finished_at, steps FROM restores").all<RestoreRow>();
  const running = known.results.find(({ finished_at }) => finished_at === null);
  if (running && running.backup_id !== backupId) {
    return { kind: "refused", message: `The restore of another backup, ${running.backup_id}, has begun here` };
  }
  if (running) return { kind: "under_way", steps: running.steps };
  if (!(await isEmpty(env))) {
    return { kind: "refused", message: "This installation has accounts or links: a backup goes into an empty one" };
  }
  await env.DB.prepare(
    "INSERT INTO restores (backup_id, started_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET finished_at = NULL, steps = 0",
  )
    .bind(backupId, Date.now())
    .run();
  return { kind: "under_way", steps: 0 };
}

/** Whether this restore is under way. */
export async function isRestoring(env: Env, backupId: string): Promise<boolean> {
  const row = await env.DB.prepare("SELECT 1 FROM restores WHERE backup_id = ?1 AND finished_at IS NULL")
    .bind(backupId)
    .first();
  return row !== null;
}

export async function saveRestoreSteps(env: Env, backupId: string, steps: number): Promise<void> {
  await env.DB.prepare("UPDATE restores SET steps = ?2 WHERE backup_id = ?1").bind(backupId, steps).run();
}

/** Writes rows that are not there yet. @throws ConflictError when they do not fit the database */
export async function restoreTableRows(env: Env, table: BackedUpTableName, rows: readonly JsonRow[]): Promise<void> {
  await (table === "feeds" ? restoreFeeds(env, rows) : insertTableRows(env, table, rows));
}

/**
 * Counts links and codes of some accounts, as quotas need.
 * @param after  the last account of the call before; "" to begin
 * @returns the last account; null when all are counted
 */
export async function countRestoredRows(env: Env, after: string): Promise<string | null> {
  const { results } = await env.DB.prepare("SELECT id FROM accounts WHERE id > ?1 ORDER BY id LIMIT ?2")
    .bind(after, COUNTED_ACCOUNTS)
    .all<{ id: string }>();
  const last = results.at(-1);
  if (!last) return null;
  const accountIds = results.map(({ id }) => id);
  await countLinksAnew(env, accountIds);
  const ids = JSON.stringify(accountIds);
  await env.DB.batch([COUNT_CODES_SQL, COUNT_CODES_OF_LINKS_SQL].map((sql) => env.DB.prepare(sql).bind(ids)));
  return last.id;
}

const OF_ACCOUNTS = "WHERE account_id IN (SELECT value FROM json_each(?1))";

/** The bytes of images are those of the backup. */
const COUNT_CODES_SQL = `UPDATE qr_counts SET codes = (SELECT count(*) FROM qr_codes c
  WHERE c.account_id = qr_counts.account_id) ${OF_ACCOUNTS}`;

const COUNT_CODES_OF_LINKS_SQL = `INSERT INTO link_qr_counts (account_id, link_id, codes)
  SELECT account_id, link_id, count(*) FROM qr_codes ${OF_ACCOUNTS} GROUP BY account_id, link_id
  ON CONFLICT DO UPDATE SET codes = excluded.codes`;

/**
 * Ends the restore. Credentials of accounts that were made while the backup was taken are removed. What other databases know
 * of accounts is compared at once: they have no copies of these.
 */
export async function finishRestore(env: Env, backupId: string): Promise<void> {
  const orphans = ["api_keys", "credentials", "passkeys"].map((table) =>
    env.DB.prepare(`DELETE FROM ${table} WHERE account_id NOT IN (SELECT id FROM accounts)`),
  );
  await env.DB.batch([
    ...orphans,
    env.DB.prepare("DELETE FROM copy_checks"),
    // A link that was copied before it was disabled is looked for again (store/links/ended-links.ts).
    env.DB.prepare(`UPDATE domain_holders SET ending = '["","",""]' WHERE tenure > 0`),
    env.DB.prepare("UPDATE restores SET finished_at = ?2 WHERE backup_id = ?1").bind(backupId, Date.now()),
  ]);
}

async function isEmpty(env: Env): Promise<boolean> {
  const [hasAccount, hasLink] = await Promise.all([hasAccounts(env), hasLinks(env)]);
  return !hasAccount && !hasLink;
}

/**
 * Feeds after a restore. No backup has their events, but clients come back with cursors of the lost log: they get a gap,
 * and read what they missed from the click logs.
 * @param rows  of the table `feeds`, which get no rows here: nobody streams yet
 */
async function restoreFeeds(env: Env, rows: readonly JsonRow[]): Promise<void> {
  const feeds = rows.flatMap(({ account_id, mode }) => {
    const known = MODES.find((each) => each === mode);
    return known ? [{ accountId: String(account_id), mode: known }] : [];
  });
  await Promise.all(feeds.map(({ accountId, mode }) => restoreFeed(env, accountId, mode)));
}
