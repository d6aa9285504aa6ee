/**
 * Accounts that are not open, for redirects and doors to read. A suspended account keeps all it has: its links answer 410
 * within ten seconds, keys and sessions are refused from the next request on, and resuming undoes both.
 */
type Database = Pick<Env, "DB">;

/** Suspends an account that is open. False when there is no such account; one that is suspended stays so. */
export async function suspendAccount({ DB }: Database, accountId: string): Promise<boolean> {
  const exists = await DB.prepare("SELECT 1 FROM accounts WHERE id = ?1").bind(accountId).first();
  if (!exists) return false;
  // An account that is closed at this moment stays closed.
  await DB.prepare(
    "INSERT INTO account_states (account_id, state, since) VALUES (?1, 'suspended', ?2) ON CONFLICT DO NOTHING",
  )
    .bind(accountId, Date.now())
    .run();
  return true;
}

/** Opens a suspended account again; one that is open stays so. */
export async function resumeAccount({ DB }: Database, accountId: string): Promise<void> {
  await DB.prepare("DELETE FROM account_states WHERE account_id = ?1 AND state = 'suspended'").bind(accountId).run();
}

/** Since when an account is suspended, epoch ms; null when it is not. */
export async function suspendedSince({ DB }: Database, accountId: string): Promise<number | null> {
  return DB.prepare("SELECT since FROM account_states WHERE account_id = ?1 AND state = 'suspended'")
    .bind(accountId)
    .first<number>("since");
}
