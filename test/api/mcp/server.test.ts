/** The HTTP interface of the MCP server: responses before a tool is called. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { suspendAccount } from "../../../src/store/accounts/accounts.ts";
import { revokeKey } from "../../../src/store/accounts/api-keys.ts";
import { parseApiKey } from "../../../src/core/identifiers.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import {
  ACCOUNT_SUSPENDED,
  INVALID_API_KEY,
  INVALID_JSON,
  MISSING_API_KEY,
  PAYLOAD_TOO_LARGE,
  RATE_LIMITED,
  UNSUPPORTED_MEDIA_TYPE,
} from "../../support/expected-errors.ts";
import { withinRateLimitWindow } from "../../support/rate-limit-window.ts";
import { BASE_URL, freeAccount, send, type TestAccount } from "../../support/test-accounts.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const ACCEPT = { Accept: "application/json, text/event-stream" };
const FREE_REQUESTS_A_MINUTE = 120;

/** A message of a client that accepts JSON, with the headers and metadata of the 2026 protocol. */
const MODERN = { ...ACCEPT, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
const MODERN_LIST = {
  ...LIST,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

const post = (ann: TestAccount, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  ann.call("POST", "/mcp", body, { ...MODERN, ...headers });

describe("the response to a message", () => {
  test("is JSON, has the request id and the limits, and is not cached", async () => {
    const { status, headers, body } = await post(await freeAccount(), MODERN_LIST);
    const tools = expect.arrayContaining([expect.objectContaining({ name: "find_links" })]);
    expect({ status, body }).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: 1, result: { tools } } });
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": expect.stringMatching(/^application\/json/),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^req_/),
      "ratelimit-policy": expect.stringContaining("q=120"),
    });
    expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(headers.has("Set-Cookie")).toBe(false);
    expect(headers.has("Mcp-Session-Id")).toBe(false);
  });

  test("to a subscription is an error: no stream stays open", async () => {
    const ann = await freeAccount();
    const message = {
      ...MODERN_LIST,
      method: "subscriptions/listen",
      params: { ...MODERN_LIST.params, notifications: { toolsListChanged: true } },
    };
    const { body } = await post(ann, message, { "Mcp-Method": "subscriptions/listen" });
    expect(body).toMatchObject({ error: { code: -32_603 } });
  });

  test("to an unknown method or revision is a protocol error", async () => {
    const ann = await freeAccount();
    const unknown = { ...MODERN_LIST, method: "tools/steal" };
    expect((await post(ann, unknown, { "Mcp-Method": "tools/steal" })).body).toMatchObject({
      error: { code: -32_601 },
    });
    const later = await post(ann, LIST, { "MCP-Protocol-Version": "2099-01-01" });
    expect(later.status).toBe(400);
    expect(later.body).toMatchObject({ error: { code: expect.any(Number) } });
  });
});

describe("headers of sessions and streams, which do not exist,", () => {
  test.each([
    { "Mcp-Session-Id": "x" },
    { "Mcp-Session-Id": "../../".repeat(1_000) },
    { "Last-Event-ID": "0" },
    { "Last-Event-ID": "x".repeat(6_000) },
  ])("have no effect: %j", async (headers) => {
    const ann = await freeAccount();
    const [plain, answered] = [await post(ann, MODERN_LIST), await post(ann, MODERN_LIST, headers)];
    expect([answered.status, answered.body]).toEqual([200, plain.body]);
    expect(answered.headers.has("Mcp-Session-Id")).toBe(false);
  });

  test.each(["", "1", "__proto__", "2025-06-18, 2026-07-28", "x".repeat(6_000)])(
    "with the revision %j answer with a protocol error",
    async (version) => {
      const reply = await post(await freeAccount(), LIST, { "MCP-Protocol-Version": version });
      expect([reply.status, reply.body]).toMatchObject([400, { error: { code: expect.any(Number) } }]);
    },
  );
});

describe("an unauthorized request", () => {
  test("needs a key, as in the API", async () => {
    const missing = await send("POST", "/mcp", LIST, ACCEPT);
    expect(errorOf(missing)).toEqual(MISSING_API_KEY);
    expect(missing.headers.get("WWW-Authenticate")).toBe('Bearer realm="hoplink"');
    const cookie = { ...ACCEPT, Cookie: "better-auth.session_token=x", "Hoplink-Mode": "live" };
    expect(errorOf(await send("POST", "/mcp", LIST, cookie))).toEqual(MISSING_API_KEY);
    const wrong = { ...ACCEPT, Authorization: "Bearer svc_live_wrong" };
    expect(errorOf(await send("POST", "/mcp", LIST, wrong))).toEqual(INVALID_API_KEY);
    expect(errorOf(await send("POST", "/mcp", "{", wrong))).toEqual(INVALID_API_KEY);
  });

  test("is refused once its key is revoked or its account suspended", async () => {
    const ann = await freeAccount();
    const second = await ann.withKey("live");
    await revokeKey(env, parseApiKey(second.key)?.id ?? "");
    expect(errorOf(await post(second, MODERN_LIST))).toEqual(INVALID_API_KEY);
    await suspendAccount(env, ann.accountId);
    expect(errorOf(await post(ann, MODERN_LIST))).toEqual(ACCOUNT_SUSPENDED);
  });

  test.each(["https://evil.example", "null", "http://localhost:3000", "http://localhost:8787.evil.example"])(
    "is refused from a page of %s, with a key or without",
    async (origin) => {
      const refused = {
        status: 403,
        code: "invalid_origin",
        message:
          "The MCP server does not accept requests from web pages on other origins. Use a client that sends no Origin header.",
      };
      const ann = await freeAccount();
      expect(errorOf(await post(ann, MODERN_LIST, { Origin: origin }))).toEqual(refused);
      expect(errorOf(await send("POST", "/mcp", LIST, { ...ACCEPT, Origin: origin }))).toEqual(refused);
      expect(errorOf(await send("OPTIONS", "/mcp", undefined, { Origin: origin }))).toEqual(refused);
    },
  );

  // DNS rebinding: the page's own name resolves to the server's address.
  test("does not reach the server under another host's name", async () => {
    const ann = await freeAccount();
    const init = { method: "POST", headers: { Authorization: `Bearer ${ann.key}`, Origin: "http://evil.example" } };
    for (const host of ["evil.example", "127.0.0.1:8787", "evil.localhost:8787"]) {
      const response = await fetchAt(`http://${host}/mcp`, {}, { ...init, body: JSON.stringify(LIST) });
      expect([host, response.status, await response.text()]).toEqual([host, 405, expect.not.stringContaining("tools")]);
    }
  });

  test("succeeds from the service's own origin", async () => {
    expect((await post(await freeAccount(), MODERN_LIST, { Origin: BASE_URL })).status).toBe(200);
  });
});

describe("other methods", () => {
  test.each(["GET", "DELETE", "PUT", "PATCH"])("%s answers 405: streams and sessions do not exist", async (method) => {
    const reply = await (await freeAccount()).call(method, "/mcp", undefined, ACCEPT);
    expect(errorOf(reply)).toEqual({
      status: 405,
      code: "method_not_allowed",
      message: "Send MCP messages with POST.",
    });
    expect(reply.headers.get("Allow")).toBe("POST");
  });

  test("paths below do not exist", async () => {
    expect((await (await freeAccount()).call("POST", "/mcp/x", LIST, ACCEPT)).status).toBe(404);
  });
});

describe("a hostile body", () => {
  test("is refused like one sent to the API", async () => {
    const ann = await freeAccount();
    expect(errorOf(await post(ann, "{"))).toEqual(INVALID_JSON);
    expect(errorOf(await post(ann, JSON.stringify(LIST), { "Content-Type": "text/plain" }))).toEqual(
      UNSUPPORTED_MEDIA_TYPE,
    );
    expect(errorOf(await post(ann, { ...LIST, params: { x: "x".repeat(256 * 1024) } }))).toEqual(PAYLOAD_TOO_LARGE);
    expect(errorOf(await post(ann, `${"[".repeat(40)}${"]".repeat(40)}`))).toMatchObject({ code: "invalid_json" });
    expect(errorOf(await post(ann, '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"x"}'))).toMatchObject({
      status: 422,
      code: "validation_failed",
      param: "method",
    });
    expect(errorOf(await post(ann, '{"jsonrpc":"2.0","id":1,"__proto__":{},"method":"ping"}'))).toMatchObject({
      code: "validation_failed",
    });
  });

  test.each([[[]], [[LIST, LIST]], ["text"], [7], [null], [true]])("%j is not a message, nor a batch", async (body) => {
    expect(errorOf(await post(await freeAccount(), JSON.stringify(body)))).toMatchObject({
      status: 422,
      code: "validation_failed",
      message: "The body must be one JSON-RPC message, not a batch",
    });
  });

  test.each([
    {},
    { jsonrpc: "1.0", id: 1, method: "tools/list" },
    { jsonrpc: "2.0", id: {}, method: "tools/list" },
    { jsonrpc: "2.0", id: 1, method: ["tools/list"] },
    { jsonrpc: "2.0", id: 1, method: "tools/call" },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 7 } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_account", arguments: [] } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_account", arguments: "x" } },
  ])("%j gets an error and calls nothing", async (message) => {
    const { status, body } = await (await freeAccount()).call("POST", "/mcp", message, ACCEPT);
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(body === "" ? "" : body)).not.toContain("structuredContent");
  });
});

test("requests count against the limits of the key, including those made by tools", { timeout: 120_000 }, async () => {
  const params = { ...MODERN_LIST.params, name: "get_account", arguments: {} };
  const { counted, refused, direct } = await withinRateLimitWindow(async () => {
    const ann = await freeAccount();
    const call = async () => {
      const headers = { "Mcp-Method": "tools/call", "Mcp-Name": "get_account" };
      return (await post(ann, { ...MODERN_LIST, method: "tools/call", params }, headers)).body as ToolResponse;
    };
    await post(ann, MODERN_LIST);
    const counted = [];
    while (counted.length < (FREE_REQUESTS_A_MINUTE - 2) / 2) counted.push((await call()).result.isError ?? false);
    return { counted, refused: await call(), direct: await post(ann, MODERN_LIST) };
  });
  expect(counted.filter(Boolean)).toEqual([]);
  // The message itself was the last request allowed in the minute, so its tool's request is refused.
  expect(refused.result.isError).toBe(true);
  expect(JSON.parse(refused.result.content[0]?.text ?? "")).toMatchObject({
    error: { code: "rate_limited", retry_after_seconds: expect.any(Number) },
  });
  expect(errorOf(direct)).toEqual(RATE_LIMITED);
});

interface ToolResponse {
  result: { isError?: boolean; content: { text: string }[] };
}
