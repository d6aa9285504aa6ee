/** Headers that keep responses out of caches, and browsers on https. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { service } from "../../src/api/service.ts";
import { parseAddress } from "../../src/edge/address.ts";
import { redirect } from "../../src/edge/redirect.ts";
import { placedId, placeLinks } from "../support/placed-links.ts";
import { premiumAccount, send } from "../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn } from "../support/browser-session.ts";
import { namedRoutes, requestRoute, ROUTES, createTarget } from "../support/routes.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const HSTS = "Strict-Transport-Security";
const YEAR = "max-age=31536000";

describe("Cache-Control: no-store on /v1", () => {
  test.each(namedRoutes(ROUTES))("%s", async (_, route) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await requestRoute(ann.call.bind(ann), route, await createTarget(ann, route, link));
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    // A stream instructs proxies not to buffer it.
    const expected = route.path === "/events/stream" ? "no-cache, no-transform" : "no-store";
    expect(reply.headers.get("Cache-Control")).toBe(expected);
  });

  test("refusals, unknown routes, preflights and HEAD", async () => {
    const ann = await premiumAccount();
    const replies = [
      await send("GET", "/v1/links"),
      await ann.call("GET", "/v1/none"),
      await ann.call("PUT", "/v1/links"),
      await ann.call("HEAD", "/v1/links"),
      await send("OPTIONS", "/v1/links", undefined, { Origin: "https://a.example" }),
      await send("GET", "/dashboard/api/account"),
    ];
    for (const reply of replies) expect(reply.headers.get("Cache-Control")).toBe("no-store");
  });
});

describe("HSTS", () => {
  const config = {
    ...env,
    BASE_URL: "https://api.hop.example",
    SHORT_DOMAIN: "hop.example",
    TEST_SHORT_DOMAIN: "t.hop.example",
  };

  async function fromService(path: string, vars: Env): Promise<string | null> {
    const ctx = createExecutionContext();
    const response = await service.fetch(new Request(vars.BASE_URL + path), vars, ctx);
    await waitOnExecutionContext(ctx);
    return response.headers.get(HSTS);
  }

  async function fromVisit(url: string, vars: Env): Promise<[number, string | null]> {
    const ctx = createExecutionContext();
    const address = parseAddress(url, vars);
    if (address.kind === "service") throw new Error("no short URL");
    const response = await redirect(new Request(url), vars, ctx, address);
    await waitOnExecutionContext(ctx);
    return [response.status, response.headers.get(HSTS)];
  }

  async function linkOn(domain: string): Promise<string> {
    const { accountId } = await premiumAccount();
    const [slug, now] = [crypto.randomUUID(), Date.now()];
    const link = { account_id: accountId, id: placedId(domain, slug, now, 0), domain, slug, created_at: now };
    await placeLinks(env, [{ ...link, url: "https://example.com/same" }]);
    return `https://${domain}/${slug}`;
  }

  test("is sent by a service configured with https: API, errors, pages", async () => {
    for (const path of ["/v1/links", "/v1/none", "/health", "/robots.txt", "/dashboard/api/account"]) {
      expect(await fromService(path, config)).toBe(YEAR);
      expect(await fromService(path, env)).toBeNull();
    }
  });

  test("is sent with redirects on the service's short domains, never on a customer's, even to the same destination", async () => {
    const [own, foreign] = [await linkOn("hop.example"), await linkOn("go.customer.example")];
    for (let visit = 0; visit < 2; visit++) {
      expect(await fromVisit(own, config)).toEqual([302, YEAR]);
      expect(await fromVisit(foreign, config)).toEqual([302, null]);
    }
  });
});
