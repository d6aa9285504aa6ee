/** Decision 15, GET /v1/me: the caller, its permissions, limits and usage. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { SCOPES } from "../../src/core/account.ts";
import { Me } from "../../src/core/contract/me.ts";
import { changePlan } from "../../src/store/accounts/accounts.ts";
import { preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../support/browser-session.ts";
import { freeAccount, premiumAccount, type TestAccount } from "../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

async function me(actor: TestAccount): Promise<Me> {
  const reply = await actor.call("GET", "/v1/me");
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return Me.parse(reply.body);
}

describe("15 GET /v1/me", () => {
  test("returns account, plan, mode, scopes and key, never a secret", async () => {
    const ann = await freeAccount();
    const reply = await ann.call("GET", "/v1/me");
    const [id, secret] = [ann.key.slice("svc_live_".length, 17), ann.key.slice(17, 49)];
    expect(Me.parse(reply.body)).toEqual({
      account: { id: ann.accountId, created_at: expect.any(String) },
      plan: "free",
      mode: "live",
      scopes: [...SCOPES],
      key: { id, name: "test", last_four: secret.slice(-4), created_at: expect.any(String), exposed_at: null },
      default_domain: env.SHORT_DOMAIN,
      limits: {
        links: { max: 10_000, used: 0 },
        links_created: { max: 100_000, used: 0 },
        keys: { max: 25, used: 1 },
        domains: { max: 10, used: 0 },
        qr_codes: { max: 10_000, used: 0 },
        qr_image_bytes: { max: 1_000_000_000, used: 0 },
        social_image_bytes: { max: 100 * 1024 ** 2, used: 0 },
        idempotency_bytes: { max: 10_000_000, used: 0 },
        requests_per_minute: { max: 120, account_max: 600 },
        qr_requests_per_minute: { max: 30, account_max: 150 },
        bulk_links_per_minute: { max: 1_000, used: 0 },
        bulk_links_per_day: { max: 10_000, used: 0 },
        streams: { max: 5, account_max: 25 },
      },
    });
    const text = JSON.stringify(reply.body);
    expect([text.includes(secret), text.includes(ann.email)]).toEqual([false, false]);
  });

  test("any key can call it, and sees its own mode, scopes and name", async () => {
    const ann = await premiumAccount();
    const limited = await ann.withKey("test", ["qr:read"]);
    const [whole, own] = [await me(ann), await me(limited)];
    expect(own).toMatchObject({ account: whole.account, plan: "premium", mode: "test", scopes: ["qr:read"] });
    expect(own.key?.id).not.toBe(whole.key?.id);
    expect([whole.default_domain, own.default_domain]).toEqual([env.SHORT_DOMAIN, env.TEST_SHORT_DOMAIN]);
    expect(own.limits.keys.used).toBe(1);
    expect(own.limits.requests_per_minute).toEqual({ max: 1_200, account_max: 6_000 });
  });

  test("counts current resources, not deleted ones", async () => {
    const [ann, ben] = [await freeAccount(), await freeAccount()];
    const [link, gone] = [await ann.createLink(), await ann.createLink()];
    await (await ann.withKey("test")).createLink();
    await ann.call("DELETE", `/v1/links/${gone.id}`);
    await ann.createQrCode(link);
    await ann.createDomain();
    await ann.call("POST", "/v1/links", { url: "https://example.com/" }, { "Idempotency-Key": "once" });
    const { limits } = await me(ann);
    expect(limits).toMatchObject({
      links: { used: 3 },
      links_created: { used: 4 },
      keys: { used: 1 },
      domains: { used: 1 },
      qr_codes: { used: 1 },
    });
    expect(limits.qr_image_bytes.used).toBeGreaterThan(100);
    expect(limits.idempotency_bytes.used).toBeGreaterThan(100);
    await env.DB.prepare("UPDATE idempotency_counts SET counted_on = counted_on - 1 WHERE account_id = ?1")
      .bind(ann.accountId)
      .run();
    expect((await me(ann)).limits.idempotency_bytes.used).toBe(0);
    expect((await me(ben)).limits).toMatchObject({ links: { used: 0 }, qr_codes: { used: 0 } });
  });

  test("returns a changed plan immediately", async () => {
    const ann = await freeAccount();
    await changePlan(env, ann.email, "premium");
    expect(await me(ann)).toMatchObject({ plan: "premium", limits: { links: { max: 1_000_000 } } });
  });

  test("in the dashboard returns the session, which has no key", async () => {
    const browser = await signedUp();
    const { id } = await browser.account();
    const reply = await browser.api("GET", "/me");
    expect(Me.parse(reply.body)).toMatchObject({ account: { id }, plan: "free", mode: "live", key: null });
    expect((await browser.api("GET", "/me", undefined, "test")).body).toMatchObject({ mode: "test" });
  });
});
