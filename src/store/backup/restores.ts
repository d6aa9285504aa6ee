/**
 * The state of a backup's restore: only an empty installation accepts a backup, one at a time, and an interrupted
 * restore of the same backup resumes. Accounts come last, so that no one can change half-restored data.
 */
import type { BackupPage, RestoreOutcome } from "../../core/contract/backup.ts";
import { endLinksAgain } from "../links/ended-links.ts";
import { countLinksAnew, hasLinks } from "../links/restored-links.ts";
import { hasAccounts } from "../operators/first-account.ts";
import { queueImages } from "../social-images.ts";
import { restoreBackupPage } from "./backup-pages.ts";
import { ConflictError } from "./table-rows.ts";
import { changeRows, queryRows } from "../statements.ts";

/** Number of accounts whose links and codes one statement counts. */
const COUNTED_ACCOUNTS = 20;

interface RestoreRow {
  backup_id: string;
  finished_at: number | null;
  steps: number;
}

export async function beginRestore(env: Env, backupId: string): Promise<RestoreOutcome> {
  const known = await env.DB.prepare("SELECT backup_id, finished_at, steps FROM restores").all<RestoreRow>();
  const running = known.results.find(({ finished_at }) => finished_at === null);
  if (running && running.backup_id !== backupId) {
    return refusal(`Another backup, ${running.backup_id}, is being restored to this installation`);
  }
  if (running) return { outcome: "done", pages: running.steps };
  if ((await hasAccounts(env)) || (await hasLinks(env))) {
    return refusal("This installation has accounts or links. Restore the backup to an empty installation");
  }
  const sql =
    "INSERT INTO restores (backup_id, started_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET finished_at = NULL, steps = 0";
  await changeRows(env.DB, sql, [backupId, Date.now()]);
  return { outcome: "done", pages: 0 };
}

function refusal(message: string): RestoreOutcome {
  return { outcome: "refused", message };
}

/** Whether this restore is in progress. @returns null when it has not begun */
export async function isRestoring(env: Env, backupId: string): Promise<boolean | null> {
  const sql = "SELECT finished_at IS NULL FROM restores WHERE backup_id = ?1";
  const [row] = await env.DB.prepare(sql).bind(backupId).raw<[number]>();
  return row ? row[0] === 1 : null;
}

/**
 * Restores a page of a backup, and records that all pages up to it are restored.
 * @param number  of the page, from 1
 */
export async function restorePage(
  env: Env,
  backupId: string,
  number: number,
  page: BackupPage,
): Promise<RestoreOutcome> {
  try {
    await restoreBackupPage(env, page);
  } catch (error) {
    if (error instanceof ConflictError) return refusal(error.message);
    throw error;
  }
  await changeRows(env.DB, "UPDATE restores SET steps = ?2 WHERE backup_id = ?1", [backupId, number]);
  return { outcome: "done", pages: number };
}

/**
 * Runs a step after the pages: counts the links and codes of some accounts, as quotas need, and queues images, or ends
 * the restore.
 * @param after  the last account of the previous step; "" to begin
 */
export async function finishRestore(env: Env, backupId: string, after: string): Promise<RestoreOutcome> {
  const sql = "SELECT id FROM accounts WHERE id > ?1 ORDER BY id LIMIT ?2";
  const accounts = await queryRows<{ id: string }>(env.DB, sql, [after, COUNTED_ACCOUNTS]);
  const last = accounts.at(-1);
  if (!last) {
    await endRestore(env, backupId);
    return { outcome: "done", pages: 0 };
  }
  const accountIds = accounts.map(({ id }) => id);
  await countLinksAnew(env, accountIds);
  const ids = JSON.stringify(accountIds);
  await env.DB.batch([
    ...[COUNT_CODES_SQL, COUNT_CODES_OF_LINKS_SQL].map((sql) => env.DB.prepare(sql).bind(ids)),
    queueImages(env, ids),
  ]);
  return { outcome: "done", pages: 0, after: last.id };
}

const OF_ACCOUNTS = "WHERE account_id IN (SELECT value FROM json_each(?1))";

/** Image bytes keep the backup's values. */
const COUNT_CODES_SQL = `UPDATE qr_counts SET codes = (SELECT count(*) FROM qr_codes c
  WHERE c.account_id = qr_counts.account_id) ${OF_ACCOUNTS}`;

const COUNT_CODES_OF_LINKS_SQL = `INSERT INTO link_qr_counts (account_id, link_id, codes)
  SELECT account_id, link_id, count(*) FROM qr_codes ${OF_ACCOUNTS} GROUP BY account_id, link_id
  ON CONFLICT DO UPDATE SET codes = excluded.codes`;

/**
 * Ends the restore. Removes what belongs to accounts that were created while the backup was taken. The comparison of
 * account copies restarts immediately, since the other databases have no copies of these accounts.
 */
async function endRestore(env: Env, backupId: string): Promise<void> {
  const orphans = [
    "api_keys",
    "credentials",
    "passkeys",
    "totp_factors",
    "shares",
    "utm_templates",
    "saved_views",
    "link_notes",
  ].map((table) => env.DB.prepare(`DELETE FROM ${table} WHERE account_id NOT IN (SELECT id FROM accounts)`));
  await env.DB.batch([
    ...orphans,
    env.DB.prepare("DELETE FROM copy_checks"),
    endLinksAgain(env.DB),
    env.DB.prepare("UPDATE restores SET finished_at = ?2 WHERE backup_id = ?1").bind(backupId, Date.now()),
  ]);
}
