/**
 * Copies of the account data that the other link databases need: whether the account is open, which of its streams have
 * a subscriber, its active domains, and the names it holds or held last. A change is first written to the home
 * database, in one transaction with a new version of the account. Then all facts of the account are copied, so that one
 * copy makes up for all that were missed. Copies may overtake each other, so a database refuses a copy older than its
 * own. A version stays due until every database has it. The maintenance object retries copies that failed or were
 * interrupted. With one database, none of this is written.
 */
import { queriesMax } from "../../core/deployment/settings.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { wakeMaintenance } from "../maintenance-client.ts";
import { prepareNamed, queryRows, queryRow, changeRows } from "../statements.ts";
import { withTimeout } from "../timeout.ts";
import { type LinksEnv, otherDatabases } from "./databases.ts";

/** The operator's commands have no objects: copies that they could not make wait for the cron job. */
export type HomeEnv = LinksEnv & Partial<Pick<Env, "MAINTENANCE" | "REGION">>;

const COPY_TIMEOUT_MS = 5_000;
/** Longer than a request takes to copy. */
const DUE_AFTER_MS = 10_000;
const RETRY_AFTER_MS = 30_000;
/** Queries of the home database for an account that is due. */
const DUE_COPY_QUERIES = 5;

/** Condition for copied domains (`account_facts`): links may be created on them, unless they are locked. */
export const IS_COPIED_SQL = "status = 'active'";

export interface HomeChange<Row> {
  /** Results of the statements. */
  results: D1Result<Row>[];
  /** Whether every database knows of the change. */
  isCopied: boolean;
}

/**
 * Changes copied rows of the home database in one transaction, then copies them. Failed copies are only reported,
 * because the change has already been made.
 * @param accountIds  accounts whose rows change
 * @param statements  the last one shows whether anything has changed
 */
export async function changeHome<Row = unknown>(
  env: HomeEnv,
  accountIds: readonly string[],
  statements: D1PreparedStatement[],
): Promise<HomeChange<Row>> {
  if (otherDatabases(env).length === 0) return { results: await env.DB.batch<Row>(statements), isCopied: true };
  const dueAt = Date.now() + DUE_AFTER_MS;
  const results = await env.DB.batch<Row>([...statements, newVersionsStatement(env, accountIds, dueAt)]);
  const hasChanged = results.pop()?.meta.changes !== 0;
  const copied = hasChanged ? await Promise.all(accountIds.map((id) => copyAccount(env, id))) : [];
  const isCopied = copied.every(Boolean);
  if (!isCopied && env.MAINTENANCE) await wakeMaintenance({ ...env, MAINTENANCE: env.MAINTENANCE }, dueAt);
  return { results, isCopied };
}

/** Versions are at least the current time, so those after a restore of the home database exceed all earlier ones. */
const VERSIONS_SQL = `INSERT INTO account_copies (account_id, version, due_at)
  SELECT value, :now, :due_at FROM json_each(:account_ids) WHERE :is_forced OR changes() > 0
  ON CONFLICT DO UPDATE SET version = max(version + 1, excluded.version), due_at = excluded.due_at`;

/**
 * Does nothing after a statement that changed nothing.
 * @param dueAt  null marks the accounts as due immediately in any case: their copies differ, or may differ
 */
export function newVersionsStatement({ DB }: HomeEnv, accountIds: readonly string[], dueAt: number | null) {
  const [now, account_ids] = [Date.now(), JSON.stringify(accountIds)];
  return prepareNamed(DB, VERSIONS_SQL, { now, due_at: dueAt ?? now, account_ids, is_forced: dueAt === null ? 1 : 0 });
}

/** Number of accounts that one maintenance run copies: as many as half of its queries allow, at least one. */
export function copiedAccountsMax(env: Env): number {
  const queries = DUE_COPY_QUERIES + otherDatabases(env).length;
  return Math.max(Math.floor(queriesMax(env) / 2 / queries), 1);
}

/** Copies the accounts that have been due longest. @returns their number */
export async function copyDueAccounts(env: HomeEnv, limit: number): Promise<number> {
  if (otherDatabases(env).length === 0) return 0;
  const sql = "SELECT account_id FROM account_copies WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2";
  const results = await queryRows<{ account_id: string }>(env.DB, sql, [Date.now(), limit]);
  await Promise.all(results.map(({ account_id }) => copyDueAccount(env, account_id)));
  return results.length;
}

/** When the next account is due, epoch ms; null when none is. */
export async function nextCopyAt(env: HomeEnv): Promise<number | null> {
  if (otherDatabases(env).length === 0) return null;
  return env.DB.prepare("SELECT min(due_at) AS at FROM account_copies WHERE due_at IS NOT NULL").first<number | null>(
    "at",
  );
}

/** Returns whether every database has the account's facts; copies them again where one may not. */
export async function ensureCopied(env: HomeEnv, accountId: string): Promise<boolean> {
  if (otherDatabases(env).length === 0) return true;
  const sql = "SELECT 1 FROM account_copies WHERE account_id = ?1 AND due_at IS NOT NULL";
  const due = await queryRow(env.DB, sql, [accountId]);
  return due === null || copyAccount(env, accountId);
}

/** Also unlocks domains whose request was interrupted (domain-changes.ts). */
async function copyDueAccount(env: HomeEnv, accountId: string): Promise<void> {
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare("UPDATE account_copies SET due_at = ?2 WHERE account_id = ?1").bind(accountId, now + RETRY_AFTER_MS),
    env.DB.prepare("UPDATE domains SET locked_until = NULL WHERE account_id = ?1 AND locked_until <= ?2").bind(
      accountId,
      now,
    ),
    newVersionsStatement(env, [accountId], now + RETRY_AFTER_MS),
  ]);
  await copyAccount(env, accountId);
}

/** @returns whether every database now has the copy; never throws */
async function copyAccount(env: HomeEnv, accountId: string): Promise<boolean> {
  try {
    const facts = await readFacts(env, accountId);
    if (!facts) return true;
    await Promise.all(otherDatabases(env).map((database) => withTimeout(COPY_TIMEOUT_MS, writeFacts(database, facts))));
    // An account with a locked domain is due again when the lock ends.
    const sql = `UPDATE account_copies SET due_at = (SELECT min(locked_until) FROM domains d WHERE d.account_id = ?1)
      WHERE account_id = ?1 AND version = ?2`;
    await changeRows(env.DB, sql, [accountId, facts.version]);
    return true;
  } catch (error) {
    console.warn("account not copied", { account: accountId, error: String(error) });
    return false;
  }
}

/** A row of the view `account_facts` (schema.sql). All columns but the version are JSON. */
type AccountFacts = {
  account_id: string;
  version: number;
  state: string | null;
  feeds: string;
  domains: string;
  holdings: string;
};

/** Reads with one statement, so that the facts match the version. */
function readFacts({ DB }: HomeEnv, accountId: string): Promise<AccountFacts | null> {
  return queryRow<AccountFacts>(DB, "SELECT * FROM account_facts WHERE account_id = ?1", [accountId]);
}

/** A trigger writes the rows, unless the database has a later version. */
async function writeFacts(database: D1Database, facts: AccountFacts): Promise<void> {
  const sql = `INSERT INTO account_facts (account_id, version, state, feeds, domains, holdings)
    VALUES (:account_id, :version, :state, :feeds, :domains, :holdings)`;
  await prepareNamed(database, sql, facts).run();
}

/**
 * Deletes what the home database has about deleted links: their notes and shared pages. Rows that a concurrent request
 * adds afterwards are deleted by that request (`requireNotDeleted` in links/links.ts).
 */
export async function deleteRowsAbout({ DB }: LinksEnv, links: readonly LinkSnapshot[]): Promise<void> {
  const deleted = links.filter(({ state }) => state === "deleted");
  if (deleted.length === 0) return;
  const keys = JSON.stringify(deleted.map(({ accountId, mode, id }) => [accountId, mode, id]));
  const statements = ["link_notes WHERE (account_id, mode, link_id)", "shares WHERE (account_id, mode, subject)"].map(
    (rows) =>
      DB.prepare(`DELETE FROM ${rows} IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`).bind(keys),
  );
  await DB.batch(statements);
}
