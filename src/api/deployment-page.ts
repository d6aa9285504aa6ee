/** What a person sees in a browser while the deployment lacks settings or tables, instead of the API's JSON. */
import type { Context } from "hono";

import type { ApiError } from "../core/errors.ts";
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../core/http/plain-page.ts";
import type { ApiEnv } from "./context.ts";

const TITLE = "This Hoplink is not ready yet";

export function isDeploymentError({ code }: ApiError): boolean {
  return code === "misconfigured" || code === "not_migrated";
}

/** Whether a person opens an address in a browser: the API is asked for JSON, or for anything. */
export function asksForPage(c: Context<ApiEnv>): boolean {
  const isApi = c.req.path.startsWith("/v1/") || c.req.path.startsWith("/dashboard/api/");
  return !isApi && (c.req.header("Accept") ?? "").includes("text/html");
}

export function deploymentErrorPage(error: ApiError, requestId: string): Response {
  const { command, retryAfterSeconds = 0 } = error.details;
  const how =
    command === undefined
      ? ""
      : `<p>If you run it, run this in the project's folder:</p><pre><code>${escapeHtml(command)}</code></pre>`;
  const content = `<p>${escapeHtml(error.message)}.</p>${how}<p>Reload this page afterwards.</p>`;
  return new Response(plainPage(TITLE, content), {
    status: error.status,
    headers: { ...PLAIN_PAGE_HEADERS, "Retry-After": String(retryAfterSeconds), "X-Request-Id": requestId },
  });
}
