/** Authorization: keys, scopes, rates, modes and accounts, on every route (spec 1.7, 5, 9; order of checks). */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { SCOPES, type Scope } from "../../../src/core/account.ts";
import { v1Routes } from "../../../src/api/urls.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { RESERVED_SEGMENTS } from "../../../src/core/hosts.ts";
import { BASE62_ALPHABET, KEY_RANDOM_WORDS, newApiKey, parseApiKey } from "../../../src/core/identifiers.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { issueKeyText, revokeKey } from "../../../src/store/accounts/api-keys.ts";
import { type TestAccount, freeAccount, premiumAccount, send } from "../../support/test-accounts.ts";
import { withinRateLimitWindow } from "../../support/rate-limit-window.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import {
  INVALID_JSON,
  INVALID_API_KEY,
  validationFailed,
  insufficientScope,
  LINK_NOT_FOUND,
  MISSING_API_KEY,
  ROUTE_NOT_FOUND,
  preconditionFailed,
  PLAN_UPGRADE_REQUIRED,
  RATE_LIMITED,
  PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE,
} from "../../support/expected-errors.ts";
import {
  LINK_ROUTES,
  namedRoutes,
  routeName,
  requestRoute,
  ROUTES,
  createTarget,
  SCOPED_ROUTES,
} from "../../support/routes.ts";

const CHALLENGE = 'Bearer realm="hoplink"';
const NO_LINK = "lnk_00000000000000000000000000";
const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const FREE_REQUESTS_A_MINUTE = 120;
const PREMIUM_REQUESTS_A_MINUTE = 1_200;

/** A key with a valid checksum, from the random numbers that would have generated its characters. */
function forgedKey(mode: "live" | "test", id: string, secret: string): string {
  const words = Array.from(
    id + secret,
    (char) => ((BASE62_ALPHABET.indexOf(char) + 0.5) / BASE62_ALPHABET.length) * 2 ** 32,
  );
  return newApiKey(mode, Uint32Array.from(words)).text;
}

function partsOf(key: string) {
  const parts = parseApiKey(key);
  if (!parts) throw new Error("not a key");
  return parts;
}

function withKey(key: string): Promise<ApiResponse> {
  return send("GET", "/v1/links", undefined, { Authorization: `Bearer ${key}` });
}

/** The same text with another letter or digit at the index. */
function changedAt(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === "a" ? "b" : "a") + text.slice(index + 1);
}

describe("the table of routes", () => {
  test("9.1 names every existing route, all of them below /v1", () => {
    const served = new Set(
      v1Routes.routes.map(({ method, path }) => routeName({ method, path } as (typeof ROUTES)[number])),
    );
    expect(new Set(ROUTES.map(routeName))).toEqual(served);
  });

  test.each(namedRoutes(ROUTES))("9.1 %s without the /v1 is not a route of the API", async (_, route) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call(route.method, route.path.replace(":id", link.id), route.body);
    // A path that does not begin with a reserved segment is a short URL, which only GET visits.
    const isReserved = RESERVED_SEGMENTS.has(route.path.split("/")[1] ?? "");
    expect(reply.status).toBe(route.method === "GET" || isReserved ? 404 : 405);
    expect(reply.headers.get("Content-Type")).toBe(isReserved ? "application/json" : "text/html; charset=utf-8");
  });
});

describe.each(namedRoutes(ROUTES))("5.1 %s", (_, route) => {
  test("without a key answers 401 missing_api_key", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await requestRoute(send, route, await createTarget(ann, route, link));
    expect(errorOf(reply)).toEqual(MISSING_API_KEY);
    expect(reply.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
  });

  test("with an unknown key answers 401 invalid_api_key", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const key = newApiKey("live", crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS))).text;
    const reply = await requestRoute(send, route, await createTarget(ann, route, link), {
      Authorization: `Bearer ${key}`,
    });
    expect(errorOf(reply)).toEqual(INVALID_API_KEY);
    expect(reply.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
  });
});

describe.each(SCOPED_ROUTES.map((route) => [routeName(route), route] as const))("5.1 %s", (_, route) => {
  test("with a key that has every scope except the required one answers 403 insufficient_scope", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const others = SCOPES.filter((scope) => scope !== route.scope);
    const limited = await ann.withKey("live", others);
    const reply = await requestRoute(limited.call.bind(limited), route, await createTarget(ann, route, link));
    expect(errorOf(reply)).toEqual(insufficientScope(route.scope));
    expect(reply.headers.get("WWW-Authenticate")).toBeNull();
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  });

  test("with a key that has only the required scope succeeds", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const limited = await ann.withKey("live", [route.scope]);
    const reply = await requestRoute(limited.call.bind(limited), route, await createTarget(ann, route, link));
    expect(reply.status, JSON.stringify(reply.body)).toBeGreaterThanOrEqual(200);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  });
});

describe.each(namedRoutes(LINK_ROUTES))("%s", (_, route) => {
  test("answers 404 for an id that never existed", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await requestRoute(ann.call.bind(ann), route, NO_LINK))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await requestRoute(ann.call.bind(ann), route, "%00'--"))).toEqual(LINK_NOT_FOUND);
  });

  test("answers 404 for another account's link and does not change it", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const link = await ann.createLink();
    expect(errorOf(await requestRoute(ben.call.bind(ben), route, link.id))).toEqual(LINK_NOT_FOUND);
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  });

  test("5.4 answers 404 to a test key for a live link, and to a live key for a test link", async () => {
    const ann = await premiumAccount();
    const annTesting = await ann.withKey("test");
    const [live, trial] = [await ann.createLink(), await annTesting.createLink()];
    expect(errorOf(await requestRoute(annTesting.call.bind(annTesting), route, live.id))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await requestRoute(ann.call.bind(ann), route, trial.id))).toEqual(LINK_NOT_FOUND);
    expect((await ann.call("GET", `/v1/links/${live.id}`)).body).toEqual(live);
    expect((await annTesting.call("GET", `/v1/links/${trial.id}`)).body).toEqual(trial);
  });

  test("answers 404 for a deleted link", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(errorOf(await requestRoute(ann.call.bind(ann), route, link.id))).toEqual(LINK_NOT_FOUND);
  });
});

describe("5.1 the Authorization header", () => {
  test.each(["Basic YW5uOnNlY3JldA==", "Bearer", "Bearer ", "Token x", "Digest a=b"])(
    "%j is not a bearer key: 401 missing_api_key",
    async (header) => {
      const reply = await send("GET", "/v1/links", undefined, { Authorization: header });
      expect(errorOf(reply)).toEqual(MISSING_API_KEY);
      expect(reply.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
    },
  );

  test("a valid key under a wrong scheme, bare or doubled is refused and not echoed", async () => {
    const { key } = await premiumAccount();
    for (const header of [`Basic ${key}`, key, `Bearer ${key}, Bearer ${key}`, `Bearer ${key} ${key}`]) {
      const reply = await send("GET", "/v1/links", undefined, { Authorization: header });
      expect(errorOf(reply)).toEqual(MISSING_API_KEY);
    }
  });

  test("a key in the query string is ignored", async () => {
    const { key } = await premiumAccount();
    expect(errorOf(await send("GET", `/v1/links?api_key=${key}`))).toEqual(MISSING_API_KEY);
  });

  test("the scheme is read in any case, as in HTTP", async () => {
    const { key } = await premiumAccount();
    const reply = await send("GET", "/v1/links", undefined, { Authorization: `bEARER  ${key}` });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  test.each(["x", "svc_live_", "svc_live_short", `svc_live_${"a".repeat(46)}`, `svc_prod_${"a".repeat(46)}`, "ключ"])(
    "the malformed key %j answers 401 invalid_api_key",
    async (key) => {
      const reply = await withKey(encodeURI(key));
      expect(errorOf(reply)).toEqual(INVALID_API_KEY);
      expect(reply.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
    },
  );
});

describe("5.3 keys", () => {
  test("live keys start with svc_live_, test keys with svc_test_", async () => {
    const ann = await premiumAccount();
    expect(ann.key).toMatch(/^svc_live_[0-9A-Za-z]{46}$/);
    expect((await ann.withKey("test")).key).toMatch(/^svc_test_[0-9A-Za-z]{46}$/);
  });

  test("one changed character is refused at any position, and the key is not echoed", async () => {
    const { key } = await premiumAccount();
    expect((await withKey(key)).status).toBe(200);
    for (let index = 0; index < key.length; index++) {
      const wrong = changedAt(key, index);
      const reply = await withKey(wrong);
      expect(errorOf(reply), `at ${index}`).toEqual(INVALID_API_KEY);
      expect(JSON.stringify([reply.body, [...reply.headers]])).not.toContain(wrong.slice(20, 40));
    }
  });

  test("a truncated or extended key is refused", async () => {
    const { key } = await premiumAccount();
    for (const wrong of [key.slice(0, -1), `${key}a`, `a${key}`, key.toLowerCase(), key.toUpperCase()]) {
      expect(errorOf(await withKey(wrong))).toEqual(INVALID_API_KEY);
    }
  });

  test("a valid checksum does not help a wrong secret, a wrong id or the other mode", async () => {
    const { key } = await premiumAccount();
    const { id, secret } = partsOf(key);
    expect(forgedKey("live", id, secret)).toBe(key);
    for (const forged of [
      forgedKey("live", id, changedAt(secret, 0)),
      forgedKey("live", id, changedAt(secret, 31)),
      forgedKey("live", changedAt(id, 0), secret),
      forgedKey("test", id, secret),
    ]) {
      expect(errorOf(await withKey(forged))).toEqual(INVALID_API_KEY);
    }
  });

  test("one account's id with another's secret is refused", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const mixed = forgedKey("live", partsOf(ann.key).id, partsOf(ben.key).secret);
    expect(errorOf(await withKey(mixed))).toEqual(INVALID_API_KEY);
  });

  test("5.6 a revoked key is refused from the next request on; the account's other keys still work", async () => {
    const ann = await premiumAccount();
    const other = await ann.withKey("live");
    expect((await ann.call("GET", "/v1/links")).status).toBe(200);
    expect(await revokeKey(env, partsOf(ann.key).id)).toBe(true);
    const reply = await ann.call("GET", "/v1/links");
    expect(errorOf(reply)).toEqual(INVALID_API_KEY);
    expect(reply.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
    expect((await other.call("GET", "/v1/links")).status).toBe(200);
    expect(await revokeKey(env, partsOf(ann.key).id)).toBe(false);
  });

  test("5.2 the database does not contain the secret, only its SHA-256 and last four characters", async () => {
    const { key } = await premiumAccount();
    const { id, secret } = partsOf(key);
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?1").bind(id).first<Record<string, unknown>>();
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
    expect(row).toEqual({
      id,
      account_id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
      mode: "live",
      name: "test",
      secret_hash: [...new Uint8Array(digest)],
      last_four: secret.slice(-4),
      scopes: JSON.stringify(SCOPES),
      created_at: expect.any(Number),
      last_used_on: null,
      exposed_at: null,
      revoked_at: null,
    });
  });

  test("the day of a key's last use is recorded, and updated by a use on another day", async () => {
    const ann = await premiumAccount();
    const { id } = partsOf(ann.key);
    const lastUse = () =>
      env.DB.prepare("SELECT last_used_on FROM api_keys WHERE id = ?1").bind(id).first<number>("last_used_on");
    const today = () => Math.floor(Date.now() / 86_400_000);
    const since = today();
    const SOON = { timeout: 10_000 };
    expect(await lastUse()).toBeNull();
    await ann.call("GET", "/v1/links");
    await vi.waitFor(async () => expect(await lastUse()).toBeGreaterThanOrEqual(since), SOON);
    await env.DB.prepare("UPDATE api_keys SET last_used_on = 20000 WHERE id = ?1").bind(id).run();
    await ann.call("GET", "/v1/links");
    await vi.waitFor(async () => expect(await lastUse()).toBeGreaterThanOrEqual(since), SOON);
    expect(await lastUse()).toBeLessThanOrEqual(today());
  });
});

describe("5.4 modes", () => {
  test("a test key creates links on the test domain, which lists of live keys do not contain", async () => {
    const ann = await premiumAccount();
    const annTesting = await ann.withKey("test");
    const trial = await annTesting.createLink({ slug: `trial-${crypto.randomUUID()}` });
    expect(trial.domain).toBe("test.localhost:8787");
    expect(trial.short_url).toBe(`http://test.localhost:8787/${trial.slug}`);
    expect((await ann.call("GET", "/v1/links")).body).toEqual({ data: [], has_more: false, next_cursor: null });
    expect((await annTesting.call("GET", "/v1/links")).body).toEqual({
      data: [trial],
      has_more: false,
      next_cursor: null,
    });
  });

  test("a test key can create, change and delete a slug without affecting the live link of that name", async () => {
    const ann = await premiumAccount();
    const annTesting = await ann.withKey("test");
    const slug = `twin-${crypto.randomUUID()}`;
    const live = await ann.createLink({ slug });
    const trial = await annTesting.createLink({ slug });
    await annTesting.updateLink(trial, { url: "https://example.com/other", routing: RULES });
    expect((await annTesting.call("DELETE", `/v1/links/${trial.id}`)).status).toBe(204);
    expect((await ann.call("GET", `/v1/links/${live.id}`)).body).toEqual(live);
  });

  test("a test key may not name the live domain, nor a live key the test domain", async () => {
    const ann = await premiumAccount();
    const annTesting = await ann.withKey("test");
    const url = "https://example.com/";
    expect(errorOf(await annTesting.call("POST", "/v1/links", { url, domain: "localhost:8787" }))).toEqual(
      validationFailed(["domain", "invalid_value", "must be one of your active domains, or test.localhost:8787"]),
    );
    expect(errorOf(await ann.call("POST", "/v1/links", { url, domain: "test.localhost:8787" }))).toEqual(
      validationFailed(["domain", "invalid_value", "must be one of your active domains, or localhost:8787"]),
    );
  });

  test("a test key has the account's plan", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const annTesting = await ann.withKey("test");
    const benTesting = await ben.withKey("test");
    expect((await annTesting.createLink({ routing: RULES })).routing).toEqual(RULES);
    const refused = await benTesting.call("POST", "/v1/links", { url: "https://example.com/", routing: RULES });
    expect(errorOf(refused)).toEqual(PLAN_UPGRADE_REQUIRED);
  });
});

describe("1.6 plans", () => {
  test("a change of plan takes effect with the very next request, in both directions", async () => {
    const ben = await freeAccount();
    const link = await ben.createLink();
    const write = () => ben.call("PATCH", `/v1/links/${link.id}`, { routing: RULES });
    expect(errorOf(await write())).toEqual(PLAN_UPGRADE_REQUIRED);
    await changePlan(env, ben.email, "premium");
    expect(Link.parse((await write()).body).routing).toEqual(RULES);
    await changePlan(env, ben.email, "free");
    expect(errorOf(await write())).toEqual(PLAN_UPGRADE_REQUIRED);
  });
});

describe("1.7 webhooks", () => {
  test.each([
    ["GET", "/v1/webhooks"],
    ["POST", "/v1/webhooks"],
    ["GET", "/v1/webhooks/wh_1"],
    ["DELETE", "/v1/webhooks/wh_1"],
    ["POST", "/v1/webhook_endpoints"],
    ["GET", "/v1/webhooks/wh_1/deliveries"],
    ["POST", "/v1/webhooks/wh_1/rotate_secret"],
  ])("%s %s does not exist", async (method, path) => {
    const ann = await premiumAccount();
    const body = method === "POST" ? { url: "https://example.com/hook" } : undefined;
    expect(errorOf(await ann.call(method, path, body))).toEqual(ROUTE_NOT_FOUND);
    expect(errorOf(await send(method, path, body))).toEqual(MISSING_API_KEY);
  });
});

describe("routes that do not exist", () => {
  test.each(["/v1", "/v1/", "/v1/none", "/v1/links/", "/v1/links/a/b/c", "/v1/Links", "/v1/accounts", "/v1/keys"])(
    "%s is 401 without a key, 401 with a wrong one, 404 with a valid one",
    async (path) => {
      const ann = await premiumAccount();
      const none = await send("GET", path);
      expect(errorOf(none)).toEqual(MISSING_API_KEY);
      expect(none.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
      expect(errorOf(await send("GET", path, undefined, { Authorization: "Bearer x" }))).toEqual(INVALID_API_KEY);
      expect(errorOf(await ann.call("GET", path))).toEqual(ROUTE_NOT_FOUND);
    },
  );

  test("a key without scopes gets 404 for unknown routes, and 403 for all others", async () => {
    const unscoped = await (await premiumAccount()).withKey("live", []);
    expect(errorOf(await unscoped.call("GET", "/v1/none"))).toEqual(ROUTE_NOT_FOUND);
    expect(errorOf(await unscoped.call("GET", "/v1/links"))).toEqual(insufficientScope("links:read"));
  });
});

/** Within one minute of the limiter: as many requests as it allows, 10 more, and then the requests of `after`. */
const exhaust = <T>(actor: () => Promise<TestAccount>, limit: number, after: (one: TestAccount) => Promise<T>) =>
  withinRateLimitWindow(async () => {
    const one = await actor();
    const replies: ApiResponse[] = [];
    while (replies.length < limit + 10) {
      const wave = Array.from({ length: Math.min(60, limit + 10 - replies.length) }, () => one.call("GET", "/v1/none"));
      replies.push(...(await Promise.all(wave)));
    }
    return { statuses: replies.map(({ status }) => status), after: await after(one) };
  });

describe("rate limits", () => {
  test("a Free key can make 120 requests a minute; then 429 with Retry-After, and other keys still work", async () => {
    const ben = await freeAccount();
    const { statuses, after: refused } = await exhaust(
      () => ben.withKey("live"),
      FREE_REQUESTS_A_MINUTE,
      (one) => one.call("GET", "/v1/links"),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(FREE_REQUESTS_A_MINUTE);
    expect(statuses.slice(FREE_REQUESTS_A_MINUTE)).toEqual(Array.from({ length: 10 }, () => 429));
    expect(errorOf(refused)).toEqual(RATE_LIMITED);
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
    expect((await ben.call("GET", "/v1/links")).status).toBe(200);
  });

  test("a Premium key can make 1,200 requests a minute", { timeout: 120_000 }, async () => {
    const ann = await premiumAccount();
    const { statuses, after: refused } = await exhaust(
      () => ann.withKey("live"),
      PREMIUM_REQUESTS_A_MINUTE,
      (one) => one.call("GET", "/v1/links"),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(PREMIUM_REQUESTS_A_MINUTE);
    expect(errorOf(refused)).toEqual(RATE_LIMITED);
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
  });
});

describe("the order of checks, for requests with two problems", () => {
  const BROKEN = '{"routing": [';

  test("the key comes first: an unknown key with an unknown route, a broken body, a missing link", async () => {
    const wrong = { Authorization: "Bearer svc_live_x" };
    expect(errorOf(await send("PUT", "/v1/none", BROKEN, wrong))).toEqual(INVALID_API_KEY);
    expect(errorOf(await send("POST", "/v1/links", BROKEN, wrong))).toEqual(INVALID_API_KEY);
    expect(errorOf(await send("PATCH", `/v1/links/${NO_LINK}`, BROKEN, wrong))).toEqual(INVALID_API_KEY);
  });

  test("the scope before existence, syntax, plan and values", async () => {
    const reader = await (await freeAccount()).withKey("live", ["links:read"] satisfies Scope[]);
    expect(errorOf(await reader.call("PATCH", `/v1/links/${NO_LINK}`, BROKEN))).toEqual(
      insufficientScope("links:write"),
    );
    expect(errorOf(await reader.call("POST", "/v1/links", { routing: RULES, nope: 1 }))).toEqual(
      insufficientScope("links:write"),
    );
  });

  test("the scope before the rate, the rate before route, existence, syntax and values", async () => {
    const ben = await freeAccount();
    const { after } = await exhaust(
      () => ben.withKey("live", ["links:write"]),
      FREE_REQUESTS_A_MINUTE,
      async (one) => [
        await one.call("GET", "/v1/links"),
        await one.call("GET", "/v1/none"),
        await one.call("PUT", "/v1/links", BROKEN),
        await one.call("PATCH", `/v1/links/${NO_LINK}`, BROKEN),
        await one.call("POST", "/v1/links", { nope: 1 }),
      ],
    );
    expect(after.map((reply) => errorOf(reply))).toEqual([
      insufficientScope("links:read"),
      RATE_LIMITED,
      RATE_LIMITED,
      RATE_LIMITED,
      RATE_LIMITED,
    ]);
  });

  test("route and existence before media type, size and syntax", async () => {
    const ben = await freeAccount();
    const text = { "Content-Type": "text/plain" };
    expect(errorOf(await ben.call("POST", "/v1/none", BROKEN, text))).toEqual(ROUTE_NOT_FOUND);
    expect(errorOf(await ben.call("PUT", "/v1/links", BROKEN, text))).toEqual({
      status: 405,
      code: "method_not_allowed",
      message: "This route supports only GET, HEAD, POST.",
    });
    for (const body of [BROKEN, "x".repeat(300 * 1024), { routing: RULES }, { nope: 1 }]) {
      expect(errorOf(await ben.call("PATCH", `/v1/links/${NO_LINK}`, body))).toEqual(LINK_NOT_FOUND);
    }
    expect(errorOf(await ben.call("POST", `/v1/links/${NO_LINK}/resolve`, BROKEN, text))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await ben.call("GET", `/v1/links/${NO_LINK}/stats?group_by=x`))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await ben.call("DELETE", `/v1/links/${NO_LINK}?x=1`))).toEqual(LINK_NOT_FOUND);
  });

  test.each(namedRoutes(ROUTES.filter(({ path }) => path.includes("/:id"))))(
    "existence before values: %s",
    async (_, route) => {
      const ann = await premiumAccount();
      const path = (id: string) => `/v1${route.path.replace(":id", id).replace(":slug", "nowhere")}?x=1`;
      const body = route.body && { ...route.body, nope: 1 };
      expect((await ann.call(route.method, path("none"), body)).status).toBe(404);
      if (!route.path.includes(":slug")) return;
      const { id } = await ann.activeDomain();
      expect(errorOf(await ann.call(route.method, path(id), body))).toMatchObject({
        status: 404,
        code: "link_not_found",
      });
    },
  );

  test("media type before size, size before syntax, syntax before the plan", async () => {
    const ben = await freeAccount();
    const large = `{"url":"https://example.com/","routing":[${"0,".repeat(150 * 1024)}`;
    const text = { "Content-Type": "text/plain" };
    expect(errorOf(await ben.call("POST", "/v1/links", large, text))).toEqual(UNSUPPORTED_MEDIA_TYPE);
    expect(errorOf(await ben.call("POST", "/v1/links", large))).toEqual(PAYLOAD_TOO_LARGE);
    expect(errorOf(await ben.call("POST", "/v1/links", BROKEN))).toEqual(INVALID_JSON);
  });

  test("the plan before the values, on every route that accepts rules", async () => {
    const ben = await freeAccount();
    const link = await ben.createLink();
    const wrong = { url: "nowhere", nope: 1, routing: [{ if: {}, to: 5 }, "rule"] };
    expect(errorOf(await ben.call("POST", "/v1/links", wrong))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(errorOf(await ben.call("POST", "/v1/links?x=1", wrong))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(errorOf(await ben.call("PATCH", `/v1/links/${link.id}`, wrong))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(errorOf(await ben.call("POST", "/v1/links/bulk", { links: [wrong], nope: 1 }))).toEqual(
      PLAN_UPGRADE_REQUIRED,
    );
    const tooMany = { links: Array.from({ length: 101 }, () => wrong) };
    expect(errorOf(await ben.call("POST", "/v1/links/bulk", tooMany))).toEqual(PLAN_UPGRADE_REQUIRED);
  });

  test("the values before If-Match", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const stale = { "If-Match": '"9"' };
    expect(errorOf(await ann.call("PATCH", `/v1/links/${link.id}`, { nope: 1 }, stale))).toEqual(
      validationFailed(["nope", "unknown_field", "is unknown"]),
    );
    expect(errorOf(await ann.call("PATCH", `/v1/links/${link.id}`, { url: "https://a.example/" }, stale))).toEqual(
      preconditionFailed('"1"'),
    );
  });
});

describe("decision 2: no error reveals a key", () => {
  test("no refusal contains the valid key or a wrong one, in its body or headers", async () => {
    const ann = await premiumAccount();
    const unknown = newApiKey("live", crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS))).text;
    const revoked = await issueKeyText(env, ann.accountId, "live", "gone");
    await revokeKey(env, partsOf(revoked).id);
    const replies = [
      await withKey(unknown),
      await withKey(revoked),
      await withKey(changedAt(ann.key, 30)),
      await send("GET", "/v1/links", undefined, { Authorization: `Basic ${ann.key}` }),
      await ann.call("GET", "/v1/none"),
      await ann.call("PUT", "/v1/links"),
      await ann.call("POST", "/v1/links", `{"url": "${ann.key}`),
      await ann.call("POST", "/v1/links", { url: ann.key }),
      await ann.call("GET", `/v1/links?limit=${ann.key}`),
      await ann.call("GET", `/v1/links/${ann.key}`),
      await ann.call("POST", "/v1/links", { url: "https://example.com/" }, { "Idempotency-Key": `${ann.key} x` }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      const told = JSON.stringify([errorOf(reply), [...reply.headers]]);
      for (const key of [ann.key, unknown, revoked]) {
        expect(told).not.toContain(key);
        expect(told).not.toContain(partsOf(key).secret);
      }
    }
  });

  test("a key sent as a field's name, a value, a parameter or its name, a slug, in bulk: no message repeats it", async () => {
    const ann = await premiumAccount();
    const { key } = ann;
    const { secret } = partsOf(key);
    const url = "https://example.com/";
    await ann.createLink({ slug: key });
    const link = await ann.createLink();
    const bulk = await ann.call("POST", "/v1/links/bulk", {
      links: [{ url, [key]: 1 }, { url, slug: key }, { url: key }, { url, routing: [{ if: { [key]: key }, to: url }] }],
    });
    const replies = [
      await ann.call("POST", "/v1/links", { url, [key]: 1 }),
      await ann.call("POST", "/v1/links", { url, [`x${key.toUpperCase()}`]: 1 }),
      await ann.call("POST", "/v1/links", { url, slug: key }),
      await ann.call("POST", "/v1/links", { url, domain: key }),
      await ann.call("POST", "/v1/links", { url, ["x".repeat(180) + key]: 1 }),
      await ann.call("POST", "/v1/links", { url, routing: [{ if: { query: { [key]: 5 } }, to: key }] }),
      await ann.call("PATCH", `/v1/links/${link.id}`, { [key]: { [key]: 1 } }),
      await ann.call("GET", `/v1/links?${key}=1`),
      await ann.call("GET", `/v1/links?sort=${key}&status=${key}&cursor=${key}`),
      await ann.call("GET", `/v1/${key}`),
      await ann.call("GET", `/v1/links/${link.id}/stats?timezone=${key}&group_by=${key}`),
      await ann.call("POST", "/v1/domains", { domain: key }),
      await ann.call("POST", "/v1/qr", { link_id: key, [key]: 1, fg: key, logo: key }),
      await ann.call("PATCH", `/v1/links/${link.id}`, {}, { "If-Match": `"${key}"` }),
      await ann.call("GET", "/v1/events/stream", undefined, { "Last-Event-ID": key }),
    ];
    for (const reply of replies) {
      expect(reply.status, JSON.stringify(reply.body)).toBeGreaterThanOrEqual(400);
      const told = JSON.stringify([errorOf(reply), [...reply.headers]]).toLowerCase();
      expect(told).not.toContain(secret.toLowerCase());
      expect(told).not.toContain(secret.slice(0, 8).toLowerCase());
    }
    expect(bulk.status).toBe(200);
    expect(JSON.stringify(bulk.body)).not.toContain(secret);
  });
});
