/**
 * Sign-in: the protocol below `/dashboard/api/auth`, implemented by better-auth (store/auth/sign-in.ts), and the first
 * account of a deployment.
 */
import type { Context } from "hono";

import { CheckSetupToken, CreateFirstAccount, type ResetInfo, UseReset } from "../../core/contract/dashboard.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { networkOf } from "../../core/visitors/visitor.ts";
import { explainByMissingTables, firstAccountTokenProblem } from "../../store/operators/deployment-state.ts";
import {
  countFirstAccountAttempt,
  createFirstAccount,
  forgetFirstAccountAttempts,
  hadAccounts,
  hasAccounts,
  isSameToken,
} from "../../store/operators/first-account.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { NetworkRateLimit } from "../../store/network-limit.ts";
import { writtenInTime } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { countRequest } from "../middleware/access.ts";
import { deploymentError } from "../middleware/errors.ts";
import { body } from "../middleware/input.ts";
import { readBoundedBody, withoutToString } from "../middleware/request-body.ts";

/** better-auth answers 500 for an unreadable passkey. The challenge is used up, so the browser must start over. */
const REGISTRATION_PATH = "/passkey/verify-registration";

/** Limit per network: refused sign-ins cost queries too. An office that shares one address stays far below it. */
const SIGN_IN_REQUESTS_MAX_PER_MINUTE = 300;
/** Limit per network. Only a program sends a wrong token or an invalid password more often. */
const SETUP_REQUESTS_MAX_PER_MINUTE = 20;

const signInRequests = new NetworkRateLimit(SIGN_IN_REQUESTS_MAX_PER_MINUTE);
const setupRequests = new NetworkRateLimit(SETUP_REQUESTS_MAX_PER_MINUTE);

export const signInRoute = createHandlers(async (c) => {
  const { headers } = c.req.raw;
  // Runs before better-auth's own limits, which query the database on every request.
  countRequest(signInRequests, headers, "This network has sent too many sign-in requests within a minute.");
  return handleSignIn(c.env, c.var.hosts, await withBoundedBody(c.req.raw));
});

/**
 * @throws ApiError not_found for a path outside the protocol; not_migrated when better-auth failed because its tables
 *   are missing
 * @throws UnavailableError, and storage errors
 */
async function handleSignIn(env: Env, { baseUrl }: Hosts, request: Request): Promise<Response> {
  const { isAuthRoute, createNotedAuth } = await import("../../store/auth/sign-in.ts");
  const { auth, rethrow } = createNotedAuth(env, baseUrl);
  if (!isAuthRoute(env, auth.api, request.url)) throw new ApiError("not_found");
  const authResponse = await writtenInTime(auth.handler(request));
  // Otherwise the response would be a refusal, or a sign-out that leaves the session valid.
  rethrow();
  const problem = authResponse.status >= 500 ? await explainByMissingTables(env) : null;
  if (problem) throw deploymentError(problem);
  if (authResponse.status === 500 && new URL(request.url).pathname.endsWith(REGISTRATION_PATH)) {
    return new Response(authResponse.body, { status: 400, headers: authResponse.headers });
  }
  if (authResponse.status !== 429) return authResponse;
  const response = new Response(authResponse.body, authResponse);
  response.headers.set("Retry-After", authResponse.headers.get("X-Retry-After") ?? "60");
  return response;
}

/**
 * Returns the request with its body read and bounded. better-auth reads bodies of any length, and throws a TypeError
 * when a `length` that it compares has a member `toString`.
 * @throws ApiError payload_too_large
 */
async function withBoundedBody(request: Request): Promise<Request> {
  if (!request.body) return request;
  const body = await readBoundedBody(request);
  return new Request(request, { method: request.method, body: withoutToString(await body.text()) });
}

/**
 * The first account is created with the one-time token that setup prints or with `FIRST_ACCOUNT_TOKEN`, whether or not
 * sign-ups are open. It is an operator's account on the Premium plan. This check runs before a person fills in the
 * form.
 */
export const checkSetupTokenRoute = createHandlers(limitTries, body(CheckSetupToken), async (c) => {
  await acceptSetupToken(c.env, c.req.valid("json").token, c.req.raw.headers);
  return c.body(null, 204);
});

export const createFirstAccountRoute = createHandlers(limitTries, body(CreateFirstAccount), async (c) => {
  const { token, email, name, password } = c.req.valid("json");
  // Checked before the password is hashed, the most expensive step here.
  const oneTimeToken = await acceptSetupToken(c.env, token, c.req.raw.headers);
  const { hashPasswordOf, signInWithPassword } = await import("../../store/auth/sign-in.ts");
  const holder = { email: email.toLowerCase(), name, passwordHash: await hashPasswordOf(c.env, c.var.hosts, password) };
  if (!(await createFirstAccount(c.env, oneTimeToken, holder, Date.now()))) {
    // Another request used the token first, or it has just expired.
    throw new ApiError((await hasAccounts(c.env)) ? "already_set_up" : "invalid_setup_token");
  }
  for (const cookie of await signInWithPassword(c.env, c.var.hosts, c.req.raw.headers, email, password)) {
    c.header("Set-Cookie", cookie, { append: true });
  }
  return c.body(null, 204);
});

/** One-time links that the operator sends to account holders. */

export const checkResetRoute = createHandlers(limitTries, body(CheckSetupToken), async (c) => {
  const { kind, email } = await requireReset(c.env, c.req.valid("json").token);
  return respondJson(c, { status: 200, body: { kind, email } satisfies ResetInfo });
});

export const performResetRoute = createHandlers(limitTries, body(UseReset), async (c) => {
  const { token, password } = c.req.valid("json");
  const reset = await requireReset(c.env, token);
  if (reset.kind === "password" && password === undefined) {
    throw validationFailed([{ path: "password", code: "invalid_type", message: "is required" }]);
  }
  const { performReset } = await import("../../store/auth/passwords.ts");
  if (!(await performReset(c.env, reset, token, password))) throw resetRefusal();
  return c.body(null, 204);
});

async function requireReset(env: Env, token: string) {
  const { findReset } = await import("../../store/auth/passwords.ts");
  const reset = await findReset(env, token);
  if (!reset) throw resetRefusal();
  return reset;
}

function resetRefusal(): ApiError {
  return new ApiError("invalid_setup_token", "This link has expired, was used, or was replaced by a newer one.");
}

async function limitTries(c: Context<ApiEnv>, next: () => Promise<void>): Promise<void> {
  countRequest(setupRequests, c.req.raw.headers, "This network has made too many attempts within a minute.");
  await next();
}

/**
 * @returns a one-time token; null for `FIRST_ACCOUNT_TOKEN`
 * @throws ApiError already_set_up, invalid_setup_token, rate_limited or misconfigured
 */
async function acceptSetupToken(env: Env, token: string, headers: Headers): Promise<string | null> {
  if (await hasAccounts(env)) throw new ApiError("already_set_up");
  if (await isOperatorToken(env, token, "setup", Date.now())) return token;
  const { FIRST_ACCOUNT_TOKEN: chosen } = env;
  if (!chosen || (await hadAccounts(env))) throw new ApiError("invalid_setup_token");
  const problem = firstAccountTokenProblem(chosen);
  if (problem) throw deploymentError(problem);
  const network = networkOf(headers) ?? "";
  const seconds = await countFirstAccountAttempt(env, network, Date.now());
  if (seconds > 0) {
    const message = "This network has made too many attempts within an hour.";
    throw new ApiError("rate_limited", message, { retryAfterSeconds: seconds });
  }
  if (!(await isSameToken(token, chosen))) throw new ApiError("invalid_setup_token");
  await forgetFirstAccountAttempts(env, network);
  return null;
}
