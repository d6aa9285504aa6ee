/** What better-auth does for the first account, whose rows are not its own to write (operators/first-account.ts). */
import type { Hosts } from "../../core/hosts.ts";
import { createAuth } from "./sign-in.ts";

export async function hashPasswordOf(env: Env, { baseUrl }: Hosts, password: string): Promise<string> {
  const { password: passwords } = await createAuth(env, baseUrl).$context;
  return passwords.hash(password);
}

/**
 * Signs in as the browser would.
 * @param headers  of the browser's request
 * @returns the cookies to set; none when it was refused, as after too many tries
 */
export async function signInWithPassword(
  env: Env,
  { baseUrl }: Hosts,
  headers: Headers,
  email: string,
  password: string,
): Promise<string[]> {
  const response = await createAuth(env, baseUrl).api.signInEmail({
    body: { email, password },
    headers,
    asResponse: true,
  });
  return response.headers.getSetCookie();
}
