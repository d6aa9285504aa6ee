/** Whose session a request carries. The library behind it is loaded by the first that asks. */

import type { Plan } from "../../core/account.ts";
import { MINUTE_MS } from "../../core/durations.ts";
import { withTimeout } from "../timeout.ts";
import { enforceRate } from "../accounts/rate-limits.ts";

const ATTEMPT_TTL_MS = MINUTE_MS;

/** The account that is signed in, as it is now: a change of plan is seen by the very next request. */
export interface SessionAccount {
  id: string;
  email: string;
  name: string;
  plan: Plan;
  /** Epoch ms. */
  createdAt: number;
  /** When the session began, epoch ms. */
  signedInAt: number;
}

/**
 * The account behind the cookie of a session; null when there is none, or the session has ended.
 * @param refreshes  whether this counts as a visit: only where the new cookie can be sent
 * @returns with the cookies to send, when the session was prolonged
 * @throws TimeoutError when the database takes longer than that
 */
export async function readSession(
  env: Env,
  headers: Headers,
  timeoutMs: number,
  refreshes: boolean,
): Promise<{ account: SessionAccount; cookies: string[] } | null> {
  const { createAuth } = await import("./sign-in.ts");
  const lookup = createAuth(env).api.getSession({
    headers,
    query: { disableRefresh: !refreshes },
    returnHeaders: true,
  });
  const { response, headers: responseHeaders } = await withTimeout(timeoutMs, lookup);
  if (!response) return null;
  const { id, email, name, plan, createdAt } = response.user;
  const times = { createdAt: createdAt.getTime(), signedInAt: response.session.createdAt.getTime() };
  return { account: { id, email, name, plan, ...times }, cookies: responseHeaders.getSetCookie() };
}

/**
 * Whether whoever is signed in proves to be the holder. Tries are counted with those to sign in.
 * @throws ApiError rate_limited
 */
export async function reauthenticate(
  env: Env,
  account: SessionAccount,
  password: string | undefined,
): Promise<boolean> {
  await enforceRate(env.SIGN_IN, account.id, "Too many tries within a minute");
  const { verifyReauthentication } = await import("./sign-in.ts");
  return verifyReauthentication(env, account.id, account.signedInAt, password);
}

/**
 * Sessions, challenges and counts of attempts are removed when somebody comes with them again; this removes those that
 * nobody came with. Counts hold IP addresses, which nobody needs after a minute.
 */
export async function sweepSessions(env: Env): Promise<void> {
  const now = Date.now();
  const text = new Date(now).toISOString();
  await env.DB.batch([
    env.DB.prepare("DELETE FROM sessions WHERE expires_at < ?1").bind(text),
    env.DB.prepare("DELETE FROM challenges WHERE expires_at < ?1").bind(text),
    env.DB.prepare("DELETE FROM attempts WHERE last_request < ?1").bind(now - ATTEMPT_TTL_MS),
  ]);
}
