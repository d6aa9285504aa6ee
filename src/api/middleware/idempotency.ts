/** `Idempotency-Key`: the first answer again, however often and however close together a request is sent. */
import type { Context, TypedResponse } from "hono";

import { ApiError } from "../../core/errors.ts";
import { IDEMPOTENCY_TTL_HOURS } from "../../core/limits.ts";
import { type JsonResponse, findStoredResponse } from "../../store/idempotency.ts";
import { asResponseQuotaError } from "../../store/accounts/quotas.ts";
import type { ApiEnv } from "../context.ts";

/** What a route says of its answer to the dashboard's typed client. */
type TypedJsonResponse<Body, Status extends 200 | 201> = Response & TypedResponse<Body, Status, "json">;

export function respondJson<Body, Status extends 200 | 201>(
  c: Context<ApiEnv>,
  { status, headers, body }: JsonResponse<Body, Status>,
  extraHeaders: Record<string, string> = {},
): TypedJsonResponse<Body, Status> {
  // The wire shapes of the contract are JSON already; hono's own type for what JSON makes of a value is lost on them.
  return c.json(body as object, status, { ...headers, ...extraHeaders }) as unknown as TypedJsonResponse<Body, Status>;
}

export function replay(c: Context<ApiEnv>, stored: JsonResponse | "conflict"): Response {
  if (stored === "conflict") {
    throw new ApiError(
      "idempotency_conflict",
      `This Idempotency-Key was used for another request within ${IDEMPOTENCY_TTL_HOURS} hours`,
      {
        param: "Idempotency-Key",
      },
    );
  }
  return respondJson(c, stored, { "Idempotent-Replayed": "true" });
}

/**
 * Does the work of a POST. When it fails although the same request succeeded meanwhile (two copies in flight, of
 * which the transaction let one through), the answer of that one is given.
 */
export async function idempotent<Answered extends Response>(
  c: Context<ApiEnv>,
  work: () => Promise<Answered>,
): Promise<Answered> {
  try {
    return await work();
  } catch (error) {
    const { idempotentRequest } = c.var;
    const stored = idempotentRequest && (await findStoredResponse(c.env, c.var.caller, idempotentRequest));
    // What is kept under this key and this request was answered by the same route.
    if (stored) return replay(c, stored) as Response as Answered;
    throw asResponseQuotaError(error, c.var.caller);
  }
}
