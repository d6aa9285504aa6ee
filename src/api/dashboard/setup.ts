/**
 * Makes the first account of a deployment, by the one-time token in the address that the setup prints, whether or not
 * sign-ups are open. It is an operator's, on the Premium plan.
 */
import type { Context } from "hono";

import { CheckSetupToken, CreateFirstAccount } from "../../core/contract/dashboard.ts";
import { ApiError } from "../../core/errors.ts";
import { createFirstAccount, hasAccounts } from "../../store/operators/first-account.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { body } from "../middleware/input.ts";
import { limitSetupRequest } from "../middleware/unauthenticated-limits.ts";

/** Tells the page before a person fills its form in. */
export const checkSetupTokenRoute = createHandlers(limitTries, body(CheckSetupToken), async (c) => {
  await assertSetupToken(c.env, c.req.valid("json").token);
  return c.body(null, 204);
});

export const createFirstAccountRoute = createHandlers(limitTries, body(CreateFirstAccount), async (c) => {
  const { token, email, name, password } = c.req.valid("json");
  // Before the password is hashed, which costs more than all else here.
  await assertSetupToken(c.env, token);
  const { hashPasswordOf, signInWithPassword } = await import("../../store/auth/first-sign-in.ts");
  const holder = { email: email.toLowerCase(), name, passwordHash: await hashPasswordOf(c.env, c.var.hosts, password) };
  if (!(await createFirstAccount(c.env, token, holder, Date.now()))) throw await setupRefusal(c.env);
  for (const cookie of await signInWithPassword(c.env, c.var.hosts, c.req.raw.headers, email, password)) {
    c.header("Set-Cookie", cookie, { append: true });
  }
  return c.body(null, 204);
});

async function limitTries(c: Context<ApiEnv>, next: () => Promise<void>): Promise<void> {
  limitSetupRequest(c.req.raw.headers);
  await next();
}

/** @throws ApiError already_set_up or invalid_setup_token */
async function assertSetupToken(env: Env, token: string): Promise<void> {
  if (await hasAccounts(env)) throw new ApiError("already_set_up");
  if (!(await isOperatorToken(env, token, "setup", Date.now()))) throw new ApiError("invalid_setup_token");
}

/** Why the database refused a token that was valid a moment ago: another request was first, or it has just expired. */
async function setupRefusal(env: Env): Promise<ApiError> {
  return new ApiError((await hasAccounts(env)) ? "already_set_up" : "invalid_setup_token");
}
