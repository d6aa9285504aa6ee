/** The one shape of every error that the service answers (decisions of the contract: `ErrorBody`). */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";

import type { ErrorBody } from "../core/contract.ts";
import { withoutKeys } from "../core/credentials.ts";
import { ApiError, type Problem } from "../core/errors.ts";
import { NoAnswer } from "../store/patience.ts";
import type { Api } from "./context.ts";

export type ErrorDetail = Omit<ErrorBody["error"], "request_id" | "doc_url">;

const RETRY_SECONDS = "5";

/**
 * What is told of a failure. Messages name fields and values as they were sent, and people send keys in wrong places.
 * @param problemsMax  of a single link of a bulk request, since there may be a hundred
 */
export function errorDetail(error: ApiError, problemsMax = Infinity): ErrorDetail {
  const { param, errors } = error.details;
  return {
    code: error.code,
    message: withoutKeys(error.message),
    ...(param === undefined ? {} : { param: withoutKeys(param) }),
    ...(errors ? { errors: errors.slice(0, problemsMax).map(toldProblem) } : {}),
  };
}

function toldProblem({ path, code, message }: Problem): Problem {
  return { path: withoutKeys(path), code, message: withoutKeys(message) };
}

/** The error boundary. What is not an ApiError is a fault of ours: logged, and answered without detail. */
export function answerError(error: Error, c: Context<Api>): Response {
  const known = error instanceof ApiError ? error : unexpected(error, c);
  const body: ErrorBody = {
    error: {
      ...errorDetail(known),
      request_id: c.var.requestId,
      doc_url: `${c.var.hosts.baseUrl}/docs/errors#${known.code}`,
    },
  };
  return c.json(body, known.status, {
    "Cache-Control": "no-store",
    "X-Request-Id": c.var.requestId,
    ...known.details.headers,
  });
}

function unexpected(error: Error, c: Context<Api>): ApiError {
  if (error instanceof HTTPException && error.status === 404) return new ApiError("not_found");
  console.error("request failed", {
    request: c.var.requestId,
    path: withoutKeys(c.req.path),
    error: withoutKeys(error.stack ?? String(error)),
  });
  return isStorageFault(error)
    ? new ApiError("unavailable", undefined, { headers: { "Retry-After": RETRY_SECONDS } })
    : new ApiError("internal_error");
}

/** D1, R2 and Durable Objects shed load and restart; whoever asks again soon is served. */
function isStorageFault(error: Error): boolean {
  return (
    error instanceof NoAnswer ||
    "retryable" in error ||
    "overloaded" in error ||
    // R2 says what it was doing and ends with its number for a fault of its own, for load, or for an operation that was cut off.
    /^(put|get): .*\((10001|10043|10054|10058)\)$/.test(error.message) ||
    /D1_ERROR.*(overloaded|Network connection lost|object to be reset|was reset|reset because|transient issue)/.test(
      error.message,
    )
  );
}
