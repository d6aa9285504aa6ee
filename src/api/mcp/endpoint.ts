/**
 * The MCP server's one address: POST with one JSON-RPC message, by the key of an account. Stateless: no session, no
 * stream that the server begins. What MCP is made of (server.ts) is imported by the first message.
 */
import type { Hono, MiddlewareHandler } from "hono";

import { ApiError, validationFailed } from "../../core/errors.ts";
import { hexOf } from "../../core/encoding/bytes.ts";
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { mcpServerCard, SERVER_CARD_TYPE } from "../../core/http/well-known.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { access } from "../middleware/access.ts";
import { readJsonBody } from "../middleware/request-body.ts";

/**
 * MCP asks servers to check it. Programs send none, and a page of another site has no business with an agent's tools, even
 * where it was given a key.
 */
const requireOwnOrigin: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== c.var.hosts.baseUrl) {
    throw new ApiError("invalid_origin", "Pages of other origins may not use the MCP server");
  }
  await next();
};

/** @param v1Routes  what the tools call */
export function mcpRoute(v1Routes: Hono<ApiEnv>) {
  return createHandlers(requireOwnOrigin, access(null), async (c) => {
    const message = await readMessage(c.req.raw);
    const { answerMessage } = await import("./server.ts");
    return answerMessage(c, v1Routes, message);
  });
}

/** MCP has no stream of its own here, and no session that could be ended. */
export const otherMcpMethods = createHandlers(requireOwnOrigin, access(null), () => {
  throw new ApiError("method_not_allowed", "MCP messages are sent by POST", { headers: { Allow: "POST" } });
});

/** One message of at most `BODY_MAX_BYTES`. @throws ApiError also for a batch, which each message of would be a request */
async function readMessage(request: Request): Promise<unknown> {
  const { value, problems } = await readJsonBody(request);
  if (problems.length > 0) throw validationFailed(problems);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw validationFailed([
    { path: "", code: "invalid_type", message: "The body must be one JSON-RPC message, not a batch" },
  ]);
}

/** The server card needs no key, and pages of any origin may read it, as MCP requires. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET",
  "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
  "Access-Control-Expose-Headers": "ETag",
};

export const serverCardRoute = createHandlers(async (c) => {
  const text = JSON.stringify(mcpServerCard(c.var.hosts.baseUrl));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const ETag = `"${hexOf(new Uint8Array(hash))}"`;
  const headers = { ...CORS, ETag, "Cache-Control": "public, max-age=3600" };
  if (hasCurrentEtag(c.req.header("If-None-Match") ?? "", ETag)) return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, "Content-Type": SERVER_CARD_TYPE });
});

export const serverCardPreflight = createHandlers((c) => c.body(null, 204, CORS));
