/** The error boundary: every error response has the shape of `ErrorBody`. */
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

import type { ErrorBody, ProblemBody } from "../../core/contract/errors.ts";
import { prefersProblemJson, PROBLEM_TYPE } from "../../core/http/requests.ts";
import { redactKeys } from "../../core/identifiers.ts";
import { problemText, type ServingProblem } from "../../core/deployment/deployment-problems.ts";
import { ApiError, ERRORS, type Problem } from "../../core/errors.ts";
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../../core/http/plain-page.ts";
import { BusyError, isTransient } from "../../store/timeout.ts";
import { RevisionMismatchError } from "../../store/links/links.ts";
import { explainByMissingTables, findMissingTables, settingsProblem } from "../../store/operators/deployment-state.ts";
import type { ApiEnv } from "../context.ts";

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

/**
 * Responds 503 while a deployment lacks settings or tables, with JSON, or with a page in a browser. Workers have no
 * start-up hook that could fail, so requests check this.
 */

const DEPLOYMENT_RETRY_SECONDS = 60;

/** Applies to every request, since sign-in is not safe without its secret. */
export const requireSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  assertSettings(c.env);
  await next();
};

/** @throws ApiError misconfigured */
export function assertSettings(env: Env): void {
  const problem = settingsProblem(env);
  if (!problem) return;
  console.error("misconfigured", { problem: problemText(problem) });
  throw deploymentError(problem);
}

/** For pages, which would otherwise load and then fail. API requests detect missing tables through their queries. */
export const requireTables: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const problem = await findMissingTables(c.env);
  if (problem) throw deploymentError(problem);
  await next();
};

export function deploymentError({ code, message, command }: ServingProblem): ApiError {
  const retry = { retryAfterSeconds: DEPLOYMENT_RETRY_SECONDS };
  return new ApiError(code, message, command === null ? retry : { ...retry, command });
}

/**
 * An HTML error page for a person who opens a URL in a browser. API clients request JSON, or accept anything.
 * @returns null if this error or this request gets no page
 */
function errorPage(c: Context<ApiEnv>, error: ApiError): Response | null {
  const isApi = c.req.path.startsWith("/v1/") || c.req.path.startsWith("/dashboard/api/");
  if (isApi || !acceptsPage(c)) return null;
  const page = pageOf(error);
  if (page === null) return null;
  const { retryAfterSeconds = 0 } = error.details;
  return new Response(page, {
    status: error.status,
    headers: { ...PLAIN_PAGE_HEADERS, "Retry-After": String(retryAfterSeconds), "X-Request-Id": c.var.requestId },
  });
}

/** Whether the request is a browser's. */
export function acceptsPage({ req }: Context<ApiEnv>): boolean {
  return (req.header("Accept") ?? "").includes("text/html");
}

/** The database, or on Workers' Free plan the service's object, is unavailable: for a moment, or until the next day. */
const UNAVAILABLE = `<p>Try again in a moment.</p>
<p>If the problem persists, the service may have reached the daily limits of its plan. They reset at 0:00 UTC.</p>`;

function pageOf({ code, message, details: { command } }: ApiError): string | null {
  if (code === "unavailable") return plainPage("This page is temporarily unavailable", UNAVAILABLE);
  if (code !== "misconfigured" && code !== "not_migrated") return null;
  const how =
    command === undefined
      ? ""
      : `<p>If you operate it, run this command in the project's folder:</p><pre><code>${escapeHtml(command)}</code></pre>`;
  const content = `<p>${escapeHtml(message)}.</p>${how}<p>Then reload this page.</p>`;
  return plainPage("This deployment is not ready yet", content);
}
