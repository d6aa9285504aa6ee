/**
 * The MCP server's only URL: POST with one JSON-RPC message, authenticated by an API key. Stateless: no sessions and no
 * server-initiated streams. The MCP implementation (server.ts) is imported on the first message.
 */
import type { Hono, MiddlewareHandler } from "hono";

import { ApiError, validationFailed } from "../../core/errors.ts";
import { hexOf, sha256 } from "../../core/encoding/bytes.ts";
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { mcpServerCard, SERVER_CARD_TYPE } from "../../core/http/well-known.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { access } from "../middleware/access.ts";
import { readJsonBody } from "../middleware/request-body.ts";

/**
 * MCP requires servers to check the origin. Programs send none. A page of another site must not use an agent's tools,
 * even if it was given a key.
 */
const requireOwnOrigin: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== c.var.hosts.baseUrl) {
    throw new ApiError(
      "invalid_origin",
      "The MCP server does not accept requests from web pages on other origins. Use a client that sends no Origin header.",
    );
  }
  await next();
};

/** @param v1Routes  the routes that the tools call */
export function mcpRoute(v1Routes: Hono<ApiEnv>) {
  return createHandlers(requireOwnOrigin, access(null), async (c) => {
    const message = await readMessage(c.req.raw);
    const { answerMessage } = await import("./server.ts");
    return answerMessage(c, v1Routes, message);
  });
}

/** This server offers no GET stream, and has no session to end. */
export const otherMcpMethods = createHandlers(requireOwnOrigin, access(null), () => {
  throw new ApiError("method_not_allowed", "Send MCP messages with POST.", { headers: { Allow: "POST" } });
});

/**
 * One message of at most `BODY_MAX_BYTES`.
 * @throws ApiError even for a batch, each message of which would be a request
 */
async function readMessage(request: Request): Promise<unknown> {
  const { value, problems } = await readJsonBody(request);
  if (problems.length > 0) throw validationFailed(problems);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw validationFailed([
    { path: "", code: "invalid_type", message: "The body must be one JSON-RPC message, not a batch" },
  ]);
}

/** The server card needs no key, and MCP requires that pages of any origin can read it. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET",
  "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
  "Access-Control-Expose-Headers": "ETag",
};

export const serverCardRoute = createHandlers(async (c) => {
  const text = JSON.stringify(mcpServerCard(c.var.hosts.baseUrl));
  const ETag = `"${hexOf(await sha256(text))}"`;
  const headers = { ...CORS, ETag, "Cache-Control": "public, max-age=3600" };
  if (hasCurrentEtag(c.req.header("If-None-Match") ?? "", ETag)) return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, "Content-Type": SERVER_CARD_TYPE });
});

export const serverCardPreflight = createHandlers((c) => c.body(null, 204, CORS));
