/**
 * Locks a domain where links are in several databases, so that no link is created on it while its links are looked for in
 * one database after the other. The lock is copied to every database (store/accounts/home-copies.ts), each of which then
 * refuses links on the domain; their requests are tried again, and answered 503 when the lock outlasts that. What is decided meanwhile is written only while the same lock stands. The lock of a request that was cut off
 * ends when it expires; should that request come back, it finds that it has lost the lock, and writes nothing.
 */
import type { Caller } from "../accounts/caller.ts";
import { changeHome } from "../accounts/home-copies.ts";
import { UnavailableError } from "../timeout.ts";
import type { DomainRecord } from "./domain-rows.ts";

const LOCK_MS = 30_000;

/**
 * @param work  takes the value of `locked_until`
 * @throws UnavailableError when another request has the lock, or a database does not answer
 */
export async function withDomainLocked<T>(
  env: Env,
  caller: Caller,
  { id }: DomainRecord,
  work: (lock: number) => Promise<T>,
): Promise<T> {
  const lock = Date.now() + LOCK_MS;
  const { results, isCopied } = await changeHome(env, [caller.accountId], [lockStatement(env, caller, id, lock)]);
  if (results[0]?.meta.changes === 0) throw new UnavailableError("another request changes the domain");
  try {
    if (!isCopied) throw new UnavailableError("a database of links does not answer");
    return await work(lock);
  } finally {
    // Should it fail, the lock expires.
    await changeHome(env, [caller.accountId], [unlockStatement(env, caller, id, lock)]).catch((error) =>
      console.warn("domain not unlocked", { id, error: String(error) }),
    );
  }
}

/** An expired lock may be replaced. Locks differ: each is later than the one that it replaces. */
function lockStatement(env: Env, { accountId, mode }: Caller, id: string, lock: number): D1PreparedStatement {
  return env.DB.prepare(
    `UPDATE domains SET locked_until = ?4 WHERE account_id = ?1 AND mode = ?2 AND id = ?3
       AND (locked_until IS NULL OR locked_until <= ?5)`,
  ).bind(accountId, mode, id, lock, lock - LOCK_MS);
}

function unlockStatement(env: Env, { accountId, mode }: Caller, id: string, lock: number): D1PreparedStatement {
  return env.DB.prepare(
    "UPDATE domains SET locked_until = NULL WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND locked_until = ?4",
  ).bind(accountId, mode, id, lock);
}
