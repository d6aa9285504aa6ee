/**
 * Suspended accounts. A suspended account keeps its data: its links answer 410 within ten seconds, and its keys and
 * sessions are refused from the next request on. Resuming reverts both.
 */
import { changeHome, type HomeEnv } from "../directory/home-copies.ts";

/** Suspends an open account; a suspended one stays suspended. @returns false when there is no such account */
export async function suspendAccount(env: HomeEnv, accountId: string): Promise<boolean> {
  const exists = await env.DB.prepare("SELECT 1 FROM accounts WHERE id = ?1").bind(accountId).first();
  if (!exists) return false;
  // ON CONFLICT keeps the state of an account that is being closed concurrently.
  const suspendStatement = env.DB.prepare(
    "INSERT INTO account_states (account_id, state, since) VALUES (?1, 'suspended', ?2) ON CONFLICT DO NOTHING",
  ).bind(accountId, Date.now());
  await changeHome(env, [accountId], [suspendStatement]);
  return true;
}

/** Reopens a suspended account; an open one stays open. */
export async function resumeAccount(env: HomeEnv, accountId: string): Promise<void> {
  const resumeStatement = env.DB.prepare("DELETE FROM account_states WHERE account_id = ?1 AND state = 'suspended'");
  await changeHome(env, [accountId], [resumeStatement.bind(accountId)]);
}

/** Start of an account's suspension, epoch ms; null when it is not suspended. */
export async function suspendedSince({ DB }: Pick<Env, "DB">, accountId: string): Promise<number | null> {
  return DB.prepare("SELECT since FROM account_states WHERE account_id = ?1 AND state = 'suspended'")
    .bind(accountId)
    .first<number>("since");
}
