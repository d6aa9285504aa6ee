/** Replaces the passwords of a request by the records that are stored, and counts records of another secret. */
import type { LinkContent } from "../../core/links/link-members.ts";
import { PASSWORD_SALT_BYTES, passwordKey, passwordRecord } from "../../core/links/link-password.ts";
import { sumInDatabases } from "../directory/directory.ts";

/** Hashed one after the other: a request may have several, and each takes more CPU time than the rest of it. */
export async function withHashedPasswords<Item extends Partial<LinkContent> | null>(
  env: Env,
  items: readonly Item[],
): Promise<Item[]> {
  const hashed: Item[] = [];
  for (const item of items) {
    hashed.push(item?.password ? { ...item, password: await hashPassword(env, item.password) } : item);
  }
  return hashed;
}

function hashPassword(env: Env, password: string): Promise<string> {
  return passwordRecord(env, password, crypto.getRandomValues(new Uint8Array(PASSWORD_SALT_BYTES)));
}

/** Maximum links counted in a database: D1 bills each row that is read. */
export const CLOSED_LINKS_MAX = 1_000;

/** By the index of the records' keys, so that no other links are read. */
const COUNT_CLOSED_SQL = `SELECT count(*) AS n FROM (${["<", ">"]
  .map((differs) => `SELECT 1 FROM links WHERE password IS NOT NULL AND substr(password, 3, 8) ${differs} ?1`)
  .join(" UNION ALL ")} LIMIT ?2)`;

/** The number of links that stay closed, since the deployment's secret did not hash their passwords. */
export async function countClosedLinks(env: Env): Promise<number> {
  const key = await passwordKey(env);
  return sumInDatabases(env, (database) => database.prepare(COUNT_CLOSED_SQL).bind(key, CLOSED_LINKS_MAX));
}
