/** Plain HTTP to a service on https: the API refuses it before any other check, pages redirect, short links work. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { LinkPage } from "../../src/core/contract/links.ts";
import { Me } from "../../src/core/contract/me.ts";
import { KEY_RANDOM_WORDS, newApiKey, parseApiKey } from "../../src/core/identifiers.ts";
import { HOUR_MS } from "../../src/core/time.ts";
import { exposeKey } from "../../src/store/accounts/api-keys.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { type ApiResponse, errorOf, readResponse } from "../support/api-response.ts";
import { type ChangedEnv, fetchAt } from "../support/changed-env.ts";
import { httpsRequired } from "../support/expected-errors.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../support/test-accounts.ts";
import { watchDatabase } from "../support/watched-database.ts";

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
    ["GET", "/health?deep"],
  ])("%s %s returns it with a valid key, an invalid one and none", async (method, path) => {
    const ann = await premiumAccount();
    for (const headers of [jsonHeaders(ann), jsonHeaders({ key: "svc_live_x" }), {}]) {
      const reply = await call(HTTP + path, { method, headers });
      expect(errorOf(reply, HTTPS)).toEqual(httpsRequired(HTTPS));
      expect(reply.headers.get("Cache-Control")).toBe("no-store");
      expect(reply.headers.get("WWW-Authenticate")).toBeNull();
    }
  });

  test("an operator's token gets it from /health?deep, and the checks over https only", async () => {
    const headers = jsonHeaders({ key: await issueOperatorToken(env, "operator", HOUR_MS, Date.now()) });
    for (const query of ["deep", "deep=1", "a=b&de%65p"])
      expect(errorOf(await call(`${HTTP}/health?${query}`, { headers }), HTTPS)).toEqual(httpsRequired(HTTPS));
    expect((await call(`${HTTPS}/health?deep`, { headers })).body).toHaveProperty("checks");
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

  test("nothing is applied, and no idempotency key is used", async () => {
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

  test("it takes precedence over errors of the deployment", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const unreached = { getByName: () => ({ fetch: () => Promise.reject(new Error("reset")) }) };
    const settings: ChangedEnv[] = [
      { BETTER_AUTH_SECRET: "too short" },
      { DB: env.EMPTY_DB },
      { WORKERS_PLAN: "free", SERVICE: unreached as unknown as Env["SERVICE"] },
    ];
    const headers = jsonHeaders(await premiumAccount());
    for (const each of settings) {
      for (const path of ["/v1/links", "/mcp", "/dashboard/api/config", "/health?deep"]) {
        const reply = await call(HTTP + path, { headers }, { ...DEPLOYED, ...each });
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

describe("decision 2: a key sent over plain HTTP", () => {
  const exposedAt = async (account: TestAccount) =>
    Me.parse((await account.call("GET", "/v1/me")).body).key?.exposed_at;

  test.each([
    ["GET", "/v1/links", 403],
    ["POST", "/v1/none", 403],
    ["GET", "/v1/events/stream", 403],
    ["POST", "/mcp", 403],
    ["GET", "/dashboard/api/config", 403],
    ["POST", "/mcp/", 403],
    ["GET", "/openapi.json", 308],
  ])("by %s %s is marked, and no other key is", async (method, path, status) => {
    const ann = await premiumAccount();
    const other = await ann.withKey("test");
    const since = Date.now();
    expect(await exposedAt(ann)).toBeNull();
    expect((await call(HTTP + path, { method, headers: jsonHeaders(ann) })).status).toBe(status);
    expect(Date.parse(String(await exposedAt(ann)))).toBeGreaterThanOrEqual(since);
    expect(await exposedAt(other)).toBeNull();
  });

  test("is not marked over https, nor if the service is on http", async () => {
    const ann = await premiumAccount();
    await call(`${HTTPS}/v1/links`, { headers: jsonHeaders(ann) });
    await call(`${HTTP}/v1/links`, { headers: jsonHeaders(ann) }, { BASE_URL: HTTP });
    expect(await exposedAt(ann)).toBeNull();
  });

  /** A database that lists the statements, and counts the rows that they change. */
  function watched() {
    const seen = { statements: [] as string[], changes: 0 };
    const DB = watchDatabase(env.DB, async (statements, execute) => {
      seen.statements.push(...statements.map(({ sql }) => sql.trim().split(/\s/)[0] ?? ""));
      const answer = (await execute()) as { meta?: { changes?: number } } | null;
      seen.changes += answer?.meta?.changes ?? 0;
      return answer;
    });
    return { DB, seen };
  }

  test("is marked once, however often it is sent; the isolate that marked it does not look it up again", async () => {
    const ann = await premiumAccount();
    const { DB, seen } = watched();
    const expose = () => call(`${HTTP}/v1/links`, { headers: jsonHeaders(ann) }, { ...DEPLOYED, DB });
    await Promise.all([expose(), expose(), expose()]);
    expect([seen.statements.includes("UPDATE"), seen.changes]).toEqual([true, 1]);
    const first = await exposedAt(ann);
    seen.statements = [];
    await expose();
    expect(seen.statements).toEqual([]);

    // As another isolate would.
    const key = parseApiKey(ann.key);
    expect(key && (await exposeKey({ DB }, key))).toBe("exposed");
    expect([seen.statements, await exposedAt(ann)]).toEqual([["SELECT"], first]);
  });

  test("made-up keys are looked up no more often than over https: a hundred times a minute per network", async () => {
    const { DB, seen } = watched();
    for (let i = 0; i < 110; i++) {
      const { text } = newApiKey("live", crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS)));
      const headers = { ...jsonHeaders({ key: text }), "CF-Connecting-IP": "2001:db8:7e57::1" };
      expect((await call(`${HTTP}/v1/links`, { headers }, { ...DEPLOYED, DB })).status).toBe(403);
    }
    expect(seen).toEqual({ statements: Array.from({ length: 100 }, () => "SELECT"), changes: 0 });
  });
});

describe("decision 2: pages over plain HTTP", () => {
  test.each([
    "/",
    "/docs",
    "/docs/errors?q=%2F%2F",
    "/dashboard",
    "/dashboard/links/lnk_1?tab=qr",
    "/dashboard/assets/none.js",
    "/openapi.json",
    "/robots.txt",
    "/mcp/server-card",
    "/v2/links",
  ])("GET and HEAD of %s are redirected to https, other methods are refused", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await call(HTTP + path, { method });
      expect([method, reply.status, reply.headers.get("Location")]).toEqual([method, 308, HTTPS + path]);
    }
    for (const method of ["POST", "DELETE"]) {
      expect(errorOf(await call(HTTP + path, { method }), HTTPS)).toEqual(httpsRequired(HTTPS));
    }
  });

  test("they are redirected to the service's own host, whatever the port of the request", async () => {
    const reply = await call("http://API.hop.example:8080/docs");
    expect([reply.status, reply.headers.get("Location")]).toEqual([308, `${HTTPS}/docs`]);
  });

  test.each(["/health", "/ready"])("%s answers over both schemes", async (path) => {
    expect((await call(HTTP + path)).status).toBe((await call(HTTPS + path)).status);
  });
});

describe("decision 2: https is required", () => {
  test("on a workers.dev host without BASE_URL, whose addresses are https", async () => {
    const headers = jsonHeaders(await premiumAccount());
    const host = "hoplink.acme.workers.dev";
    const refused = await call(`http://${host}/v1/links`, { headers }, NO_HOSTS);
    expect(errorOf(refused, `https://${host}`)).toEqual(httpsRequired(`https://${host}`));
    expect((await call(`https://${host}/v1/links`, { headers }, NO_HOSTS)).status).toBe(200);
    const page = await call(`http://${host}/docs`, {}, NO_HOSTS);
    expect([page.status, page.headers.get("Location")]).toEqual([308, `https://${host}/docs`]);
  });

  test("but not on this machine, nor if BASE_URL is http", async () => {
    const headers = jsonHeaders(await premiumAccount());
    for (const base of ["http://localhost:4711", "http://127.0.0.1:4711", "http://[::1]:4711"]) {
      expect([base, (await call(`${base}/v1/links`, { headers }, NO_HOSTS)).status]).toEqual([base, 200]);
    }
    expect((await call(`${BASE_URL}/v1/links`, { headers }, {})).status).toBe(200);
    const plain = { BASE_URL: HTTP };
    expect((await call(`${HTTP}/dashboard/api/config`, {}, plain)).status).toBe(200);
    expect((await call(`${HTTP}/docs`, {}, plain)).status).toBe(200);
    expect((await call(`${HTTPS}/v1/links`, { headers }, plain)).status).toBe(200);
  });

  test("but not on custom and short domains, which have no API and redirect over plain HTTP", async () => {
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
});
