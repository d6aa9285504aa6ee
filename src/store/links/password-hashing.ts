/** Replaces the passwords of a request by the records that are stored. */
import type { LinkContent } from "../../core/links/link-members.ts";
import { PASSWORD_SALT_BYTES, passwordRecord } from "../../core/links/link-password.ts";

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
