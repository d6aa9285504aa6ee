/** Plain HTTP to a service on https: the API refuses it before anything else. Everything besides the API answers. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { LinkPage } from "../../src/core/contract/links.ts";
import { type ApiResponse, errorOf, readResponse } from "../support/api-response.ts";
import { type ChangedEnv, fetchAt } from "../support/changed-env.ts";
import { httpsRequired } from "../support/expected-errors.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const HOST = "api.hop.example";
const HTTPS = `https://${HOST}`;
const HTTP = `http://${HOST}`;
const DEPLOYED = { BASE_URL: HTTPS, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "t.hop.example" };
const NO_HOSTS = { BASE_URL: undefined, SHORT_DOMAIN: undefined, TEST_SHORT_DOMAIN: undefined };
const URL_ONLY = '{"url":"https://example.com/"}';

function jsonHeaders({ key }: Pick<TestAccount, "key">): Record<string, string> {
  return { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
}

async function call(url: string, init: RequestInit = {}, settings: ChangedEnv = DEPLOYED): Promise<ApiResponse> {
  return readResponse(await fetchAt(url, settings, init));
}

describe("decision 2: https_required", () => {
  test.each([
    ["GET", "/v1"],
    ["GET", "/v1/links"],
    ["POST", "/v1/links"],
    ["POST", "/v1/links/bulk"],
    ["PUT", "/v1/none"],
    ["GET", "/v1/%6cinks"],
    ["GET", "/v1/events/stream"],
    ["POST", "/mcp"],
    ["GET", "/mcp"],
    ["GET", "/dashboard/api/config"],
    ["POST", "/dashboard/api/links"],
    ["POST", "/dashboard/api/auth/sign-in/email"],
    ["POST", "/dashboard/api/setup"],
    ["POST", "/dashboard/api/operator/restore"],
    ["GET", "/dashboard/api/none"],
  ])("%s %s answers it with a valid key, an invalid one and none", async (method, path) => {
    const ann = await premiumAccount();
    for (const headers of [jsonHeaders(ann), jsonHeaders({ key: "svc_live_x" }), {}]) {
      const reply = await call(HTTP + path, { method, headers });
      expect(errorOf(reply, HTTPS)).toEqual(httpsRequired(HTTPS));
      expect(reply.headers.get("Cache-Control")).toBe("no-store");
      expect(reply.headers.get("WWW-Authenticate")).toBeNull();
    }
  });

  test("the body is not read", async () => {
    const ann = await premiumAccount();
    for (const path of ["/v1/links", "/mcp", "/dashboard/api/auth/sign-in/email", "/dashboard/api/operator/restore"]) {
      const pull = vi.fn(() => Promise.reject(new Error("read")));
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      const reply = await call(HTTP + path, { method: "POST", headers: jsonHeaders(ann), body });
      expect([path, reply.status, pull.mock.calls.length]).toEqual([path, 403, 0]);
    }
  });

  test("nothing is applied, and no idempotency key is used up", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const headers = { ...jsonHeaders(ann), "Idempotency-Key": "once" };
    const refused = await Promise.all([
      call(`${HTTP}/v1/links`, { method: "POST", headers, body: URL_ONLY }),
      call(`${HTTP}/v1/links/${link.id}`, { method: "PATCH", headers, body: '{"url":"https://example.com/other"}' }),
      call(`${HTTP}/v1/links/${link.id}`, { method: "DELETE", headers }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(LinkPage.parse((await ann.call("GET", "/v1/links")).body).data).toEqual([link]);
    const made = await call(`${HTTPS}/v1/links`, { method: "POST", headers, body: URL_ONLY });
    expect([made.status, made.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
  });

  test("only the URL of the request counts, not headers that anyone can send", async () => {
    const headers = jsonHeaders(await premiumAccount());
    const forwarded = (scheme: string) => ({
      ...headers,
      "X-Forwarded-Proto": scheme,
      "CF-Visitor": `{"scheme":"${scheme}"}`,
      Forwarded: `proto=${scheme}`,
    });
    expect((await call(`${HTTP}/v1/links`, { headers: forwarded("https") })).status).toBe(403);
    expect((await call(`${HTTPS}/v1/links`, { headers: forwarded("http") })).status).toBe(200);
  });

  test("it comes before errors of the deployment", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const unreached = { getByName: () => ({ fetch: () => Promise.reject(new Error("reset")) }) };
    const settings: ChangedEnv[] = [
      { BETTER_AUTH_SECRET: "too short" },
      { DB: env.EMPTY_DB },
      { WORKERS_PLAN: "free", SERVICE: unreached as unknown as Env["SERVICE"] },
    ];
    for (const each of settings) {
      for (const path of ["/v1/links", "/mcp", "/dashboard/api/config"]) {
        const reply = await call(HTTP + path, {}, { ...DEPLOYED, ...each });
        expect(errorOf(reply, HTTPS)).toEqual(httpsRequired(HTTPS));
      }
    }
  });

  test("pages of other origins can read it: preflights are answered as over https", async () => {
    const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" };
    const preflights = [HTTP, HTTPS].map((base) => call(`${base}/v1/links`, { method: "OPTIONS", headers }));
    const [plain, secure] = (await Promise.all(preflights)).map(({ status, headers: sent }) => [
      status,
      sent.get("Access-Control-Allow-Headers"),
    ]);
    expect(plain).toEqual(secure);
    const refused = await call(`${HTTP}/v1/links`, { method: "POST", headers: { Origin: "https://a.example" } });
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([403, "*"]);
  });
});

describe("decision 2: where https is required", () => {
  test("on a workers.dev host without BASE_URL, whose addresses are https", async () => {
    const headers = jsonHeaders(await premiumAccount());
    const host = "hoplink.acme.workers.dev";
    const refused = await call(`http://${host}/v1/links`, { headers }, NO_HOSTS);
    expect(errorOf(refused, `https://${host}`)).toEqual(httpsRequired(`https://${host}`));
    expect((await call(`https://${host}/v1/links`, { headers }, NO_HOSTS)).status).toBe(200);
  });

  test("not on this machine, nor where BASE_URL is http", async () => {
    const headers = jsonHeaders(await premiumAccount());
    for (const base of ["http://localhost:4711", "http://127.0.0.1:4711", "http://[::1]:4711"]) {
      expect([base, (await call(`${base}/v1/links`, { headers }, NO_HOSTS)).status]).toEqual([base, 200]);
    }
    expect((await call(`${BASE_URL}/v1/links`, { headers }, {})).status).toBe(200);
    const plain = { BASE_URL: HTTP };
    expect((await call(`${HTTP}/dashboard/api/config`, {}, plain)).status).toBe(200);
    expect((await call(`${HTTPS}/v1/links`, { headers }, plain)).status).toBe(200);
  });

  test("custom and short domains have no API, and redirect over plain HTTP", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const { slug } = await ann.createLink({ domain });
    expect((await call(`http://${domain}/${slug}`)).headers.get("Location")).toBe("https://example.com/");
    for (const host of [domain, DEPLOYED.SHORT_DOMAIN]) {
      for (const path of ["/v1/links", "/mcp", "/dashboard/api/config"]) {
        const { status, body } = await call(`http://${host}${path}`, { headers: jsonHeaders(ann) });
        expect([host, path, status, String(body).includes("https_required")]).toEqual([host, path, 404, false]);
      }
    }
    const made = await call(`${HTTPS}/v1/links`, { method: "POST", headers: jsonHeaders(ann), body: URL_ONLY });
    const { short_url } = made.body as { short_url: string };
    const visited = await call(short_url.replace("https:", "http:"));
    expect([visited.status, visited.headers.get("Location")]).toEqual([302, "https://example.com/"]);
  });

  test.each(["/health", "/ready", "/docs", "/openapi.json", "/robots.txt", "/dashboard", "/mcp/server-card"])(
    "%s answers over plain HTTP",
    async (path) => {
      expect((await call(HTTP + path)).status).toBeLessThan(400);
    },
  );
});
