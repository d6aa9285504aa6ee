/** Whose session a request carries. The library behind it is loaded by the first that asks. */
import type { Plan } from "./caller.ts";

/** The account that is signed in, as it is now: a change of plan is seen by the very next request. */
export interface SignedIn {
  id: string;
  email: string;
  name: string;
  plan: Plan;
  /** Epoch ms. */
  createdAt: number;
}

/**
 * The account behind the cookie of a session; null when there is none, or the session has ended.
 * @returns with the cookies to send, when the session was prolonged
 */
export async function sessionOf(env: Env, headers: Headers): Promise<{ account: SignedIn; cookies: string[] } | null> {
  const { signIn } = await import("./sign-in.ts");
  const { response, headers: answered } = await signIn(env).api.getSession({ headers, returnHeaders: true });
  if (!response) return null;
  const { id, email, name, plan, createdAt } = response.user;
  return { account: { id, email, name, plan, createdAt: createdAt.getTime() }, cookies: answered.getSetCookie() };
}

/** Answers a request of the sign-in protocol: below `/dashboard/api/auth`. */
export async function answerSignIn(env: Env, request: Request): Promise<Response> {
  const { signIn } = await import("./sign-in.ts");
  return signIn(env).handler(request);
}
