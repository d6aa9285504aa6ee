/** The sign-in protocol below `/dashboard/api/auth`, which better-auth speaks (store/auth/sign-in.ts). */
import { ApiError } from "../../core/errors.ts";

/** @throws ApiError not_found for a path that the protocol does not have */
export async function handleSignIn(env: Env, request: Request): Promise<Response> {
  const { isAuthRoute, createAuth } = await import("../../store/auth/sign-in.ts");
  const auth = createAuth(env);
  if (!isAuthRoute(env, auth.api, request.url)) throw new ApiError("not_found");
  const authResponse = await auth.handler(request);
  if (authResponse.status !== 429) return authResponse;
  const response = new Response(authResponse.body, authResponse);
  response.headers.set("Retry-After", authResponse.headers.get("X-Retry-After") ?? "60");
  return response;
}
