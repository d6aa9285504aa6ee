/** `Idempotency-Key`: a repeated POST gets the first response again, also when both are in flight together. */
import type { Context } from "hono";
import { z } from "zod";

import { ApiError } from "../../core/errors.ts";
import { IDEMPOTENCY_TTL_HOURS, STORED_RESPONSES_MAX_BYTES } from "../../core/limits.ts";
import { findStoredResponse } from "../../store/directory/requests.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import type { ApiEnv, ReplayableRequest } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { signalOf } from "../../store/timeout.ts";

/** The first response to this request, sent again; null when the request is new. @throws ApiError idempotency_conflict */
export async function replay(c: Context<ApiEnv>, request: ReplayableRequest): Promise<Response | null> {
  const stored = await findStoredResponse(c.env, c.var.caller, request);
  if (stored === null) return null;
  if (stored === "conflict") {
    throw conflict(`This Idempotency-Key was used for another request within ${IDEMPOTENCY_TTL_HOURS} hours`);
  }
  const first = restored(request, stored.payload);
  return respondJson(c, { ...first, headers: { ...first.headers, "Idempotent-Replayed": "true" } });
}

/** What the request created stands, so the request is neither executed again nor refused as invalid. */
function restored({ restoreResponse }: ReplayableRequest, payload: unknown): JsonResponse {
  try {
    return restoreResponse(payload);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw conflict("This request was done already, with a body that is not valid any more: its answer is not repeated");
  }
}

function conflict(message: string): ApiError {
  return new ApiError("idempotency_conflict", message, { param: "Idempotency-Key" });
}

/**
 * Executes a POST. Of two copies in flight the transaction commits one; the other fails, and gets the response of the
 * first.
 */
export async function idempotent<Result extends Response>(
  c: Context<ApiEnv>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { idempotentRequest } = c.var;
    const first = idempotentRequest && (await replay(c, idempotentRequest));
    // The request's hash covers its path, so the stored response is of this route's type.
    if (first) return first as Result;
    throw signalOf(error) === "response_quota" ? responseQuotaExceeded(c.var.caller) : error;
  }
}

function responseQuotaExceeded({ plan }: Caller): ApiError {
  const most = `${STORED_RESPONSES_MAX_BYTES[plan]} bytes`;
  return new ApiError(
    "quota_exceeded",
    `Answers kept for Idempotency-Key take ${most} today, the most that the plan ${plan} allows; a new UTC day begins anew`,
    { param: "Idempotency-Key" },
  );
}
