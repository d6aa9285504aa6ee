/**
 * Dashboard sessions: re-authenticates their holder and deletes expired ones. The API reads them
 * (api/middleware/access.ts). better-auth (`sign-in.ts`) is imported on first use, since requests with an API key
 * do not need it.
 */

import type { Plan } from "../../core/account.ts";
import { HOUR_MS } from "../../core/time.ts";
import { enforceRate } from "../accounts/rate-limits.ts";

const ATTEMPT_TTL_MS = HOUR_MS;

/** The account of a session, read with every request, so that a change of plan applies to the next one. */
export interface SessionAccount {
  id: string;
  email: string;
  name: string;
  plan: Plan;
  isOperator: boolean;
  sessionId: string;
  /** Epoch ms. */
  createdAt: number;
  /** Start of the session, epoch ms. */
  signedInAt: number;
}

/**
 * Re-authenticates the account holder. Attempts share the rate limit of sign-ins.
 * @throws ApiError rate_limited
 */
export async function reauthenticate(
  env: Env,
  account: SessionAccount,
  password: string | undefined,
): Promise<boolean> {
  await enforceRate(env.SIGN_IN, account.id, "Too many attempts within a minute. Try again later.");
  const { verifyReauthentication } = await import("./sign-in.ts");
  return verifyReauthentication(env, account.id, account.signedInAt, password);
}

/**
 * Deletes expired sessions, challenges and attempt counts. better-auth deletes an expired row only when it is presented
 * again. Counts contain IP addresses, which are needed for an hour at most (operators/first-account.ts).
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
