/** Accounts for tests: the API has no route to create them. */
import type { Plan } from "../../src/core/account.ts";
import { type Account, createAccount } from "../../src/store/accounts/accounts.ts";

/** A new account, with a unique email address. */
export async function newTestAccount(env: Pick<Env, "DB">, plan: Plan = "premium"): Promise<Account> {
  const account = await createAccount(env, `account-${crypto.randomUUID()}@example.com`, plan);
  if (!account) throw new Error("account not created");
  return account;
}
