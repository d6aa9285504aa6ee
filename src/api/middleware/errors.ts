/** The error boundary: every error response has the shape of `ErrorBody`. */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";

import type { ErrorBody, ProblemBody } from "../../core/contract/errors.ts";
import { redactKeys } from "../../core/identifiers.ts";
import { problemText } from "../../core/deployment/deployment-problems.ts";
import { ApiError, ERRORS, type Problem } from "../../core/errors.ts";
import { prefersProblemJson, PROBLEM_TYPE } from "../../core/http/accept.ts";
import { BusyError, isTransient } from "../../store/timeout.ts";
import { RevisionMismatchError } from "../../store/links/links.ts";
import { explainByMissingTables } from "../../store/operators/deployment-state.ts";
import type { ApiEnv } from "../context.ts";
import { deploymentError, errorPage } from "./complete-deployment.ts";

export type ErrorDetail = Omit<ErrorBody["error"], "request_id" | "doc_url">;

const RETRY_AFTER_SECONDS = 5;
const READ_AGAIN_AFTER_SECONDS = 2;
const PACKING = "These clicks are being prepared for this kind of query. Try again in a few seconds.";

/**
 * The part of an error that clients see. API keys are redacted: messages quote fields and values as sent, and clients
 * send keys in the wrong places.
 * @param problemsMax  bounds the listed problems
 */
export function errorDetail(error: ApiError, problemsMax = Infinity): ErrorDetail {
  const { param, errors, command = null } = error.details;
  return {
    code: error.code,
    message: redactKeys(problemText({ message: error.message, command })),
    ...(param === undefined ? {} : { param: redactKeys(param) }),
    ...(errors ? { errors: errors.slice(0, problemsMax).map(redactedProblem) } : {}),
  };
}

function redactedProblem({ path, code, message }: Problem): Problem {
  return { path: redactKeys(path), code, message: redactKeys(message) };
}

/** Everything that clients see of an error. */
export function wholeError(error: ApiError, { var: { requestId, hosts } }: Context<ApiEnv>): ErrorBody["error"] {
  return { ...errorDetail(error), request_id: requestId, doc_url: `${hosts.baseUrl}/docs/errors#${error.code}` };
}

/** Any error other than ApiError is an internal error: it is logged, and the response contains no detail. */
export async function respondWithError(error: Error, c: Context<ApiEnv>): Promise<Response> {
  const known = error instanceof ApiError ? error : await toApiError(error, c);
  const page = errorPage(c, known);
  if (page) return page;
  const detail = wholeError(known, c);
  const isProblem = prefersProblemJson(c.req.header("Accept") ?? "");
  const { retryAfterSeconds, headers } = known.details;
  return c.json(isProblem ? problemBody(known, detail) : ({ error: detail } satisfies ErrorBody), known.status, {
    "Cache-Control": "no-store",
    Vary: "Accept",
    ...(isProblem ? { "Content-Type": PROBLEM_TYPE } : {}),
    "X-Request-Id": c.var.requestId,
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...headers,
  });
}

/** The error's members in addition to those of RFC 9457. */
function problemBody({ code, status }: ApiError, detail: ErrorBody["error"]): ProblemBody {
  return { type: detail.doc_url, title: ERRORS[code].when.replaceAll("`", ""), status, ...detail };
}

async function toApiError(error: Error, c: Context<ApiEnv>): Promise<ApiError> {
  if (error instanceof HTTPException && error.status === 404) return new ApiError("not_found");
  if (error instanceof RevisionMismatchError) return preconditionFailed(error);
  if (error instanceof BusyError) return tooManyReads(error);
  console.error("request failed", {
    request: c.var.requestId,
    path: redactKeys(c.req.path),
    error: redactKeys(error.stack ?? String(error)),
  });
  if (isTransient(error)) return new ApiError("unavailable", undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  const problem = await explainByMissingTables(c.env);
  return problem ? deploymentError(problem) : new ApiError("internal_error");
}

function preconditionFailed({ revision }: RevisionMismatchError): ApiError {
  return new ApiError("precondition_failed", `If-Match does not match the current ETag, which is "${revision}".`, {
    param: "If-Match",
  });
}

function tooManyReads({ kind }: BusyError): ApiError {
  const message = kind === "packing" ? PACKING : undefined;
  return new ApiError("too_many_reads", message, { retryAfterSeconds: READ_AGAIN_AFTER_SECONDS });
}
