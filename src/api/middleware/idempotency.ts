/** `Idempotency-Key`: the first answer again, however often and however close together a request is sent. */
import type { Context, TypedResponse } from "hono";
import { z } from "zod";

import { ApiError } from "../../core/errors.ts";
import { IDEMPOTENCY_TTL_HOURS, STORED_RESPONSES_MAX_BYTES } from "../../core/limits.ts";
import { findStoredResponse, type IdempotentRequest } from "../../store/idempotency.ts";
import { isResponseQuotaError } from "../../store/accounts/quotas.ts";
import type { Caller } from "../../store/accounts/caller.ts";
import type { ApiEnv } from "../context.ts";

export interface JsonResponse<Body = unknown, Status extends 200 | 201 = 200 | 201> {
  status: Status;
  headers: Record<string, string>;
  body: Body;
}

/** A POST with an `Idempotency-Key`, and how its first response is made again. */
export interface ReplayableRequest extends IdempotentRequest {
  /**
   * The first response, from what was stored of it and from this request, which is the same.
   * @throws ZodError when an earlier release accepted the body and this one does not
   */
  restoreResponse: (stored: unknown) => JsonResponse;
}

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

/** The first response to this request, sent again; null when the request is new. @throws ApiError idempotency_conflict */
export async function replay(c: Context<ApiEnv>, request: ReplayableRequest): Promise<Response | null> {
  const stored = await findStoredResponse(c.env, c.var.caller, request);
  if (stored === null) return null;
  if (stored === "conflict") {
    throw conflict(`This Idempotency-Key was used for another request within ${IDEMPOTENCY_TTL_HOURS} hours`);
  }
  return respondJson(c, restored(request, stored.payload), { "Idempotent-Replayed": "true" });
}

/** What the request created stands, so it is neither done again nor refused as invalid. */
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
 * Does the work of a POST. When it fails although the same request succeeded meanwhile (two copies in flight, of
 * which the transaction let one through), the response of that one is sent.
 */
export async function idempotent<Answered extends Response>(
  c: Context<ApiEnv>,
  work: () => Promise<Answered>,
): Promise<Answered> {
  try {
    return await work();
  } catch (error) {
    const { idempotentRequest } = c.var;
    const first = idempotentRequest && (await replay(c, idempotentRequest));
    // What is stored under this key and this request was sent by the same route.
    if (first) return first as Answered;
    throw isResponseQuotaError(error) ? responseQuotaExceeded(c.var.caller) : error;
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
