/**
 * Files of the build. The Worker serves them itself, instead of the asset server before it, so that no file shadows a
 * slug and each response has the headers that it needs.
 */
import type { Context } from "hono";

import { ApiError } from "../core/errors.ts";
import type { ApiEnv } from "./context.ts";

/** @throws ApiError not_found */
export async function serveAsset(c: Context<ApiEnv>, path: string, headers: Record<string, string>): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new Request(new URL(path, c.req.url), c.req.raw));
  if (found.status === 404) throw new ApiError("not_found");
  const response = new Response(found.body, found);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
