/** The sign-in protocol below `/dashboard/api/auth`, which better-auth speaks (store/auth/sign-in.ts). */
import { ApiError } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { explainByMissingTables } from "../../store/operators/deployment-state.ts";
import { createHandlers } from "../context.ts";
import { deploymentError } from "../middleware/complete-deployment.ts";
import { readBoundedBody, withoutToString } from "../middleware/request-body.ts";
import { limitSignInRequest } from "../middleware/unauthenticated-limits.ts";

export const signInRoute = createHandlers(async (c) => {
  limitSignInRequest(c.req.raw.headers);
  return handleSignIn(c.env, c.var.hosts, await withBoundedBody(c.req.raw));
});

/**
 * @throws ApiError not_found for a path that the protocol does not have; not_migrated where better-auth has failed for
 * want of its tables
 */
async function handleSignIn(env: Env, { baseUrl }: Hosts, request: Request): Promise<Response> {
  const { isAuthRoute, createAuth } = await import("../../store/auth/sign-in.ts");
  const auth = createAuth(env, baseUrl);
  if (!isAuthRoute(env, auth.api, request.url)) throw new ApiError("not_found");
  const authResponse = await auth.handler(request);
  const problem = authResponse.status >= 500 ? await explainByMissingTables(env) : null;
  if (problem) throw deploymentError(problem);
  if (authResponse.status !== 429) return authResponse;
  const response = new Response(authResponse.body, authResponse);
  response.headers.set("Retry-After", authResponse.headers.get("X-Retry-After") ?? "60");
  return response;
}

/**
 * The same request with its body read: better-auth reads bodies of any length, and throws a TypeError when a `length`
 * that it compares has a member `toString`.
 * @throws ApiError payload_too_large
 */
async function withBoundedBody(request: Request): Promise<Request> {
  if (!request.body) return request;
  const body = await readBoundedBody(request);
  return new Request(request, { method: request.method, body: withoutToString(await body.text()) });
}
