/** Passwords set by the operator: without mail, account holders cannot reset their own. Runs in Node. */
import { hashPassword } from "better-auth/crypto";

import { PASSWORD_PROVIDER } from "../accounts/accounts.ts";

/**
 * Sets or replaces an account's password, ends its sessions and removes its passkeys: it may have been taken over.
 * @returns the account's id; null when there is no such account
 */
export async function setPassword({ DB }: Pick<Env, "DB">, email: string, password: string): Promise<string | null> {
  const hash = await hashPassword(password);
  const account = await DB.prepare("SELECT id FROM accounts WHERE email = ?1").bind(email).first<{ id: string }>();
  if (!account) return null;
  await DB.prepare(
    `INSERT INTO credentials (id, account_id, provider, provider_account_id, password, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?2, ?4, ?5, ?5)
     ON CONFLICT (provider, provider_account_id) DO UPDATE SET password = ?4, updated_at = ?5`,
  )
    .bind(crypto.randomUUID(), account.id, PASSWORD_PROVIDER, hash, new Date().toISOString())
    .run();
  await DB.batch(
    ["sessions", "passkeys"].map((table) => DB.prepare(`DELETE FROM ${table} WHERE account_id = ?1`).bind(account.id)),
  );
  return account.id;
}
