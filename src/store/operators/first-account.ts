/**
 * The first account of a deployment, which the operator creates with a one-time token, or with the secret
 * `FIRST_ACCOUNT_TOKEN` that the deployer has chosen.
 */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import { sha256 } from "../../core/encoding/bytes.ts";
import { constantTimeEqual } from "../../core/identifiers.ts";
import { newAccountId, PASSWORD_PROVIDER } from "../accounts/accounts.ts";
import { countHourlyAttempt } from "../accounts/rate-limits.ts";
import { queryRow, changeRows } from "../statements.ts";

type Database = Pick<Env, "DB">;

/** Whether any account exists, other than the one that setup uses for its check. */
export async function hasAccounts({ DB }: Database): Promise<boolean> {
  const found = await queryRow(DB, "SELECT 1 FROM accounts WHERE email <> ?1 LIMIT 1", [SETUP_CHECK_EMAIL]);
  return found !== null;
}

/** Whether an account was closed: its state is kept permanently. */
export async function hadAccounts({ DB }: Database): Promise<boolean> {
  return (await DB.prepare("SELECT 1 FROM account_states LIMIT 1").first()) !== null;
}

/** Attempts with `FIRST_ACCOUNT_TOKEN`, by network. */
const FIRST_ACCOUNT_ATTEMPTS_MAX_PER_HOUR = 10;

/**
 * Counts an attempt with `FIRST_ACCOUNT_TOKEN`, before the comparison.
 * @param network  "" for requests without an address, which are counted together
 * @param now  epoch ms
 * @returns seconds until the network may try again; 0 if it may now
 */
export function countFirstAccountAttempt(env: Database, network: string, now: number): Promise<number> {
  return countHourlyAttempt(env, attemptsKey(network), FIRST_ACCOUNT_ATTEMPTS_MAX_PER_HOUR, now);
}

function attemptsKey(network: string): string {
  return `${network}|first-account`;
}

/** Deletes a network's count of attempts, because it knows the token. */
export async function forgetFirstAccountAttempts({ DB }: Database, network: string): Promise<void> {
  await changeRows(DB, "DELETE FROM attempts WHERE key = ?1", [attemptsKey(network)]);
}

/** Compares digests in constant time, whatever the lengths of the tokens. */
export async function isSameToken(sent: string, chosen: string): Promise<boolean> {
  return constantTimeEqual(await sha256(sent), await sha256(chosen));
}

export interface FirstHolder {
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Creates the first account, an operator's on the Premium plan, and deletes the token. The inserting statement checks
 * that the token is valid and that no account exists, so of two concurrent requests only one creates it.
 * @param token  one-time token; null if the caller has checked `FIRST_ACCOUNT_TOKEN`, which has no effect once an
 *   account has existed
 * @param now  epoch ms
 * @returns its id; null when the token is not valid, or an account exists
 */
export async function createFirstAccount(
  { DB }: Database,
  token: string | null,
  { email, name, passwordHash }: FirstHolder,
  now: number,
): Promise<string | null> {
  const id = newAccountId(now);
  const [created] = await DB.batch<{ id: string }>([
    DB.prepare(
      `INSERT INTO accounts (id, email, name, plan, is_operator, created_at, updated_at)
       SELECT ?1, ?2, ?3, 'premium', 1, ?4, ?4
       WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email <> ?5) AND iif(?6 IS NULL,
         NOT EXISTS (SELECT 1 FROM account_states),
         EXISTS (SELECT 1 FROM operator_tokens WHERE token_hash = ?6 AND purpose = 'setup' AND expires_at > ?4))
       RETURNING id`,
    ).bind(id, email, name, now, SETUP_CHECK_EMAIL, token === null ? null : await sha256(token)),
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
