/** The card of the MCP server, for programs that look for one. No key needed: it tells what the documentation tells. */
import { hexOf } from "../../core/hex.ts";
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { mcpServerCard, SERVER_CARD_TYPE } from "../../core/well-known/mcp-server-card.ts";
import { createHandlers } from "../context.ts";

/** For pages of any origin, which MCP asks for. */
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
