/**
 * Refuses API requests over plain HTTP, which expose keys and bodies on the network. Runs before any check that reads
 * the request. The URL is the only evidence: headers such as `X-Forwarded-Proto` are the sender's claim.
 */
import type { MiddlewareHandler } from "hono";

import { ApiError } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";

export const HTTPS_PATHS = ["/v1/*", "/mcp", "/dashboard/api/*"];

export const requireHttps: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { baseUrl, protocol } = c.var.hosts;
  if (protocol === "https:" && !c.req.url.startsWith("https:")) {
    const message = `The request was sent over plain HTTP. Use ${baseUrl}, and replace any key that it contained.`;
    throw new ApiError("https_required", message);
  }
  await next();
};
