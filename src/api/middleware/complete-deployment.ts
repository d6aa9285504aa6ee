/**
 * Responds 503 while a deployment lacks settings or tables, with JSON, or with a page in a browser. Workers have no
 * start-up hook that could fail, so requests check this.
 */
import type { Context, MiddlewareHandler } from "hono";

import { problemText, type ServingProblem } from "../../core/deployment/deployment-problems.ts";
import { ApiError } from "../../core/errors.ts";
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../../core/http/plain-page.ts";
import { findMissingTables, settingsProblem } from "../../store/operators/deployment-state.ts";
import type { ApiEnv } from "../context.ts";

const RETRY_AFTER_SECONDS = 60;

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
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new ApiError(code, message, command === null ? retry : { ...retry, command });
}

/**
 * An HTML error page for a person who opens a URL in a browser. API clients request JSON, or accept anything.
 * @returns null if this error or this request gets no page
 */
export function errorPage(c: Context<ApiEnv>, error: ApiError): Response | null {
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
