/** The card of the MCP server: it has the form of SEP-2127, is true, and is enough to connect. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { mcpServerCard } from "../../../src/core/http/well-known.ts";
import { Agent } from "../../support/agent.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { connectAgent } from "../../support/test-agents.ts";
import { BASE_URL, freeAccount } from "../../support/test-accounts.ts";

const BASE = "https://api.hop.example";
const DEPLOYED = { BASE_URL: BASE, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "t.hop.example" };
const CARD = "/mcp/server-card";

/** The schema of version 1, limited to what this card uses. */
const Input = z.strictObject({
  description: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});
const Header = Input.extend({ name: z.string(), variables: z.record(z.string(), Input) });
const Remote = z.strictObject({
  type: z.enum(["streamable-http", "sse"]),
  url: z.string().regex(/^https?:\/\/[^\s]+$/),
  supportedProtocolVersions: z.array(z.string()),
  headers: z.array(Header),
});
const ServerCard = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url(),
  remotes: z.array(Remote).length(1),
});

const ownCard = async () => ServerCard.parse(await (await exports.default.fetch(new Request(BASE_URL + CARD))).json());

describe("the card", () => {
  test("is public, even for pages of other origins, and names the deployment", async () => {
    const response = await fetchAt(BASE + CARD, DEPLOYED, { headers: { Origin: "https://other.example" } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/mcp-server-card+json",
      "cache-control": "public, max-age=3600",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET",
      "access-control-expose-headers": "ETag",
    });
    const card = ServerCard.parse(await response.json());
    expect(card).toMatchObject({ name: "example.hop.api/hoplink", remotes: [{ url: `${BASE}/mcp` }] });
    expect((await fetchAt(card.websiteUrl, DEPLOYED)).status).toBe(200);
  });

  test("is not sent again to clients that have it", async () => {
    const first = await fetchAt(BASE + CARD, DEPLOYED);
    await first.text();
    const etag = first.headers.get("ETag") ?? "";
    const again = await fetchAt(BASE + CARD, DEPLOYED, { headers: { "If-None-Match": etag } });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
    const preflight = await fetchAt(BASE + CARD, DEPLOYED, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Headers")]).toEqual([
      204,
      "Content-Type, If-None-Match",
    ]);
    const head = await fetchAt(BASE + CARD, DEPLOYED, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"])("of %s is valid too", (base) => {
    expect(() => ServerCard.parse(mcpServerCard(base))).not.toThrow();
  });
});

describe("a client that follows the card", () => {
  test("connects to the server that the card names", async () => {
    const { remotes, $schema: _, ...identity } = await ownCard();
    const [remote] = remotes;
    const { key } = await freeAccount();
    const headers = remote?.headers.map(({ name, value = "" }) => [name, value.replace("{api_key}", key)]) ?? [];
    const client = new Client({ name: "test-agent", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(remote?.url ?? ""), {
      requestInit: { headers: Object.fromEntries(headers) },
      fetch: (url, init) => exports.default.fetch(new Request(url, init as RequestInit)),
    });
    await client.connect(transport);
    expect(await new Agent(client).toolNames()).toContain("find_links");
    expect(client.getServerVersion()).toEqual(identity);
  });

  test("is understood in every revision of MCP that the card names", async () => {
    const versions = (await ownCard()).remotes[0]?.supportedProtocolVersions ?? [];
    const [latest, ...earlier] = versions;
    const ann = await freeAccount();
    expect(await (await connectAgent(ann, latest as "2026-07-28")).toolNames()).toContain("find_links");
    expect(earlier.length).toBeGreaterThan(2);
    for (const protocolVersion of earlier) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
      const headers = {
        Authorization: `Bearer ${ann.key}`,
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
      };
      const request = new Request(`${BASE_URL}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
      const response = await exports.default.fetch(request);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining(`"protocolVersion":"${protocolVersion}"`),
      ]);
    }
  });
});
