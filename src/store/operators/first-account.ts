/** The first account of a deployment, which the operator makes with a one-time token. */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";

type Database = Pick<Env, "DB">;

/** Whether anybody has an account. The one of the setup's check does not count. */
export async function hasAccounts({ DB }: Database): Promise<boolean> {
  const found = await DB.prepare("SELECT 1 FROM accounts WHERE email <> ?1 LIMIT 1").bind(SETUP_CHECK_EMAIL).first();
  return found !== null;
}
