/**
 * Copies of what the other databases of links need to know of an account: whether it is open, which of its streams has a
 * subscriber, its active domains. The home database is written first, in one transaction with a new version of the account.
 * Then all facts of the account are copied, so that one copy makes up for every one that was missed before. A database
 * refuses a copy that is older than its own: copies may overtake each other. A version stays due until every database has
 * it; what has failed, or was cut off, the maintenance object repeats. With one database nothing of this is written.
 */
import type { LinksEnv } from "../links/links-database.ts";
import { otherDatabases } from "../links/links-database.ts";
import { wakeMaintenance } from "../maintenance-client.ts";
import { prepareNamed } from "../named-statement.ts";
import { withTimeout } from "../timeout.ts";

/** The operator's commands have no objects: what they could not copy waits for the cron job. */
export type HomeEnv = LinksEnv & Partial<Pick<Env, "MAINTENANCE">>;

const COPY_TIMEOUT_MS = 5_000;
/** Longer than a request takes to copy. */
const DUE_AFTER_MS = 10_000;
const RETRY_AFTER_MS = 30_000;

/** The domains of which there are copies: links may be created on them, unless they are locked. */
export const IS_COPIED_SQL = "status = 'active'";

export interface HomeChange<Row> {
  /** Of the statements. */
  results: D1Result<Row>[];
  /** Whether every database knows of the change. */
  isCopied: boolean;
}

/**
 * Changes rows of the home database that are copied, in one transaction, and copies them. Of copies that fail it only says
 * so: the change has happened.
 * @param accountIds  whose rows change
 * @param statements  the last one says whether anything has changed
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
  if (!isCopied && env.MAINTENANCE) await wakeMaintenance({ MAINTENANCE: env.MAINTENANCE }, dueAt);
  return { results, isCopied };
}

/** Versions are at least the time, so that those after a restore of the home database are higher than all before. */
const VERSIONS_SQL = `INSERT INTO account_copies (account_id, version, due_at)
  SELECT value, :now, :due_at FROM json_each(:account_ids) WHERE :is_forced OR changes() > 0
  ON CONFLICT DO UPDATE SET version = max(version + 1, excluded.version), due_at = excluded.due_at`;

/** After a statement that has changed nothing, it does nothing. */
function newVersionsStatement({ DB }: HomeEnv, accountIds: readonly string[], dueAt: number): D1PreparedStatement {
  const account_ids = JSON.stringify(accountIds);
  return prepareNamed(DB, VERSIONS_SQL, { now: Date.now(), due_at: dueAt, account_ids, is_forced: 0 });
}

/** Makes accounts due whose copies differ, or may. */
export function makeDueStatement({ DB }: HomeEnv, accountIds: readonly string[]): D1PreparedStatement {
  const account_ids = JSON.stringify(accountIds);
  return prepareNamed(DB, VERSIONS_SQL, { now: Date.now(), due_at: 0, account_ids, is_forced: 1 });
}

/** Copies the accounts that have been due for longest. @returns their number */
export async function copyDueAccounts(env: HomeEnv, limit: number): Promise<number> {
  if (otherDatabases(env).length === 0) return 0;
  const { results } = await env.DB.prepare(
    "SELECT account_id FROM account_copies WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2",
  )
    .bind(Date.now(), limit)
    .all<{ account_id: string }>();
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

/** Also unlocks domains whose request was cut off (store/domains/domain-locks.ts). */
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

/** @returns whether every database has it now; never throws */
async function copyAccount(env: HomeEnv, accountId: string): Promise<boolean> {
  try {
    const facts = await readFacts(env, accountId);
    if (!facts) return true;
    await Promise.all(
      otherDatabases(env).map((database) => withTimeout(COPY_TIMEOUT_MS, writeFacts(database, accountId, facts))),
    );
    // A domain that is still locked is due when its lock ends.
    await env.DB.prepare(
      `UPDATE account_copies SET due_at = (SELECT min(locked_until) FROM domains d WHERE d.account_id = ?1)
       WHERE account_id = ?1 AND version = ?2`,
    )
      .bind(accountId, facts.version)
      .run();
    return true;
  } catch (error) {
    console.warn("account not copied", { account: accountId, error: String(error) });
    return false;
  }
}

/** What is copied of an account; all but the version is JSON. */
type AccountFacts = {
  version: number;
  /** [state, since]; null for an open account. */
  state: string | null;
  /** [mode, since, until] of each. */
  feeds: string;
  /** [mode, id, domain, case_sensitive, created_at, locked_until] of each. */
  domains: string;
};

const FACTS_SQL = `SELECT version,
    (SELECT json_array(state, since) FROM account_states s WHERE s.account_id = ?1) AS state,
    (SELECT json_group_array(json_array(mode, since, until)) FROM feeds f WHERE f.account_id = ?1) AS feeds,
    (SELECT json_group_array(json_array(mode, id, domain, case_sensitive, created_at, locked_until)) FROM domains d
     WHERE d.account_id = ?1 AND ${IS_COPIED_SQL}) AS domains
  FROM account_copies WHERE account_id = ?1`;

/** One statement, so that the facts are those of the version. */
function readFacts({ DB }: HomeEnv, accountId: string): Promise<AccountFacts | null> {
  return DB.prepare(FACTS_SQL).bind(accountId).first<AccountFacts>();
}

/** Whether the database has taken this version, or had it before. */
const IS_TAKEN_SQL = "(SELECT version FROM account_copies WHERE account_id = :account_id) = :version";

/**
 * In `feeds`, each database itself has whether statistics are asked for (store/links/account-statistics.ts). Of a domain
 * there is only what the creation of a link reads (store/links/domain-joins.ts); nothing that would be unique, or released
 * when the row is deleted.
 */
const WRITE_FACTS_SQL = [
  `INSERT INTO account_copies (account_id, version) VALUES (:account_id, :version)
   ON CONFLICT DO UPDATE SET version = excluded.version WHERE version < excluded.version`,
  `DELETE FROM account_states
   WHERE account_id = :account_id AND json_array(state, since) IS NOT :state AND ${IS_TAKEN_SQL}`,
  `INSERT INTO account_states (account_id, state, since) SELECT :account_id, :state ->> 0, :state ->> 1
   WHERE :state IS NOT NULL AND ${IS_TAKEN_SQL} ON CONFLICT DO NOTHING`,
  `UPDATE feeds SET since = 0, until = 0 WHERE account_id = :account_id AND until > 0
     AND mode NOT IN (SELECT value ->> 0 FROM json_each(:feeds)) AND ${IS_TAKEN_SQL}`,
  `INSERT INTO feeds (account_id, mode, since, until)
   SELECT :account_id, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:feeds) WHERE ${IS_TAKEN_SQL}
   ON CONFLICT DO UPDATE SET since = excluded.since, until = excluded.until
   WHERE since <> excluded.since OR until <> excluded.until`,
  `DELETE FROM domains WHERE account_id = :account_id AND ${IS_TAKEN_SQL}
     AND json_array(mode, id, domain, case_sensitive, created_at, locked_until) NOT IN
       (SELECT value FROM json_each(:domains))`,
  `INSERT INTO domains (account_id, mode, id, domain, case_sensitive, created_at, locked_until, token, status, findings)
   SELECT :account_id, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, '', 'active', '{}'
   FROM json_each(:domains) WHERE ${IS_TAKEN_SQL} ON CONFLICT DO NOTHING`,
];

async function writeFacts(database: D1Database, accountId: string, facts: AccountFacts): Promise<void> {
  await database.batch(WRITE_FACTS_SQL.map((sql) => prepareNamed(database, sql, { ...facts, account_id: accountId })));
}
