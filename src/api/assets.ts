/**
 * Files of the build. The Worker serves them itself, instead of the asset server before it, so that no file shadows a
 * slug and each response has the headers that it needs.
 */
import type { Context } from "hono";

import { ApiError } from "../core/errors.ts";
import { hasCurrentEtag } from "../core/http/entity-tags.ts";
import { NO_TRANSFORM } from "../core/http/plain-page.ts";
import { withOwnHost } from "../core/deployment/sample-host.ts";
import type { ApiEnv } from "./context.ts";

/** @throws ApiError not_found */
export async function serveAsset(c: Context<ApiEnv>, path: string, headers: Record<string, string>): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new Request(new URL(path, c.req.url), c.req.raw));
  if (found.status === 404) throw new ApiError("not_found");
  const response = new Response(found.body, found);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (response.headers.get("Content-Type")?.startsWith("text/html")) forbidTransformation(c, response);
  return response;
}

/** The edge does not compress such a response either. The runtime does, when a header says so. */
function forbidTransformation({ req }: Context<ApiEnv>, { headers, status }: Response): void {
  headers.append("Cache-Control", NO_TRANSFORM);
  headers.append("Vary", "Accept-Encoding");
  // The edge replaces the request's header by one of its own.
  const { clientAcceptEncoding } = (req.raw.cf ?? {}) as { clientAcceptEncoding?: string };
  if (status !== 200 || !/\bgzip\b(?!;\s*q=0)/.test(clientAcceptEncoding ?? req.header("Accept-Encoding") ?? ""))
    return;
  headers.delete("Content-Length");
  headers.set("Content-Encoding", "gzip");
}

/**
 * Serves a text for programs, with the addresses of this service: unlike a page it has no script that puts them in.
 * @param adapt  from what the build wrote, and the service's scheme and host
 * @throws ApiError not_found
 */
export async function serveText(
  c: Context<ApiEnv>,
  path: string,
  headers: Record<string, string>,
  adapt = withOwnHost,
): Promise<Response> {
  const { baseUrl } = c.var.hosts;
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url));
  if (found.status !== 200) throw new ApiError("not_found");
  // The same file says something else when the service gets another host.
  const etag = `"${(found.headers.get("ETag") ?? "").replaceAll('"', "")}-${baseUrl}"`;
  const all = { "Cache-Control": "public, max-age=0, must-revalidate", "Access-Control-Allow-Origin": "*", ...headers };
  if (hasCurrentEtag(c.req.header("If-None-Match") ?? "", etag)) return c.body(null, 304, { ...all, ETag: etag });
  return c.body(adapt(await found.text(), baseUrl), 200, { ...all, ETag: etag });
}
