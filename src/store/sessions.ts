/** Whose session a request carries. The library behind it is loaded by the first that asks. */
import { ApiError } from "../core/errors.ts";
import type { Plan } from "./caller.ts";
import { within } from "./patience.ts";
import { count } from "./rates.ts";

const ATTEMPTS_KEPT_MS = 60_000;

/** The account that is signed in, as it is now: a change of plan is seen by the very next request. */
export interface SignedIn {
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
 * @param prolongs  whether this counts as a visit: only where the new cookie can be sent
 * @returns with the cookies to send, when the session was prolonged
 * @throws NoAnswer when the database takes longer than that
 */
export async function sessionOf(
  env: Env,
  headers: Headers,
  patienceMs: number,
  prolongs: boolean,
): Promise<{ account: SignedIn; cookies: string[] } | null> {
  const { signIn } = await import("./sign-in.ts");
  const looking = signIn(env).api.getSession({ headers, query: { disableRefresh: !prolongs }, returnHeaders: true });
  const { response, headers: answered } = await within(patienceMs, looking);
  if (!response) return null;
  const { id, email, name, plan, createdAt } = response.user;
  const times = { createdAt: createdAt.getTime(), signedInAt: response.session.createdAt.getTime() };
  return { account: { id, email, name, plan, ...times }, cookies: answered.getSetCookie() };
}

/**
 * Whether whoever is signed in proves to be the holder. Tries are counted with those to sign in.
 * @throws ApiError rate_limited
 */
export async function provesToBe(env: Env, account: SignedIn, password: string | undefined): Promise<boolean> {
  await count(env.SIGN_IN, account.id, "Too many tries within a minute");
  const { confirms } = await import("./sign-in.ts");
  return confirms(env, account.id, account.signedInAt, password);
}

/** Answers a request of the sign-in protocol: below `/dashboard/api/auth`. @throws ApiError not_found */
export async function answerSignIn(env: Env, request: Request): Promise<Response> {
  const { isServed, signIn } = await import("./sign-in.ts");
  const library = signIn(env);
  if (!isServed(env, library.api, request.url)) throw new ApiError("not_found");
  const answered = await library.handler(request);
  const seconds = answered.headers.get("X-Retry-After");
  if (answered.status !== 429) return answered;
  const response = new Response(answered.body, answered);
  response.headers.set("Retry-After", seconds ?? "60");
  return response;
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
    env.DB.prepare("DELETE FROM attempts WHERE last_request < ?1").bind(now - ATTEMPTS_KEPT_MS),
  ]);
}
