/** The first account of a deployment, which the operator creates with a one-time token. */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import { newAccountId, PASSWORD_PROVIDER } from "../accounts/accounts.ts";
import { operatorTokenHash } from "./operator-tokens.ts";

type Database = Pick<Env, "DB">;

/** Whether any account exists, other than the one that setup uses for its check. */
export async function hasAccounts({ DB }: Database): Promise<boolean> {
  const found = await DB.prepare("SELECT 1 FROM accounts WHERE email <> ?1 LIMIT 1").bind(SETUP_CHECK_EMAIL).first();
  return found !== null;
}

export interface FirstHolder {
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Creates the first account, an operator's on the Premium plan, and deletes the token. The inserting statement checks
 * that the token is valid and that no account exists, so of two concurrent requests only one creates it.
 * @param now  epoch ms
 * @returns its id; null when the token is not valid, or an account exists
 */
export async function createFirstAccount(
  { DB }: Database,
  token: string,
  { email, name, passwordHash }: FirstHolder,
  now: number,
): Promise<string | null> {
  const id = newAccountId(now);
  const [created] = await DB.batch<{ id: string }>([
    DB.prepare(
      `INSERT INTO accounts (id, email, name, plan, is_operator, created_at, updated_at)
       SELECT ?1, ?2, ?3, 'premium', 1, ?4, ?4
       WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email <> ?5) AND EXISTS
         (SELECT 1 FROM operator_tokens WHERE token_hash = ?6 AND purpose = 'setup' AND expires_at > ?4)
       RETURNING id`,
    ).bind(id, email, name, now, SETUP_CHECK_EMAIL, await operatorTokenHash(token)),
    DB.prepare(
      `INSERT INTO credentials (id, account_id, provider, provider_account_id, password, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?2, ?4, ?5, ?5 WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?2)`,
    ).bind(crypto.randomUUID(), id, PASSWORD_PROVIDER, passwordHash, new Date(now).toISOString()),
    DB.prepare(
      "DELETE FROM operator_tokens WHERE purpose = 'setup' AND EXISTS (SELECT 1 FROM accounts WHERE id = ?1)",
    ).bind(id),
  ]);
  return created?.results[0]?.id ?? null;
}
