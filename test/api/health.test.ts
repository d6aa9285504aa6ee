/** Monitoring: `/health`, `/ready`, and `/health?deep`, which reports the state of each part to operators only. */
import { applyD1Migrations } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { SETUP_CHECK_EMAIL } from "../../src/core/account.ts";
import { createAccount, setOperator, suspendAccount } from "../../src/store/accounts/accounts.ts";
import { onlyDatabase } from "../../src/store/directory/databases.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { newEmail, preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../support/browser-session.ts";
import { type ChangedEnv, fetchWith } from "../support/changed-env.ts";
import { BASE_URL, premiumAccount, send } from "../support/test-accounts.ts";

const HOUR_MS = 3_600_000;

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);
beforeAll(() => applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS));

const newToken = (ttlMs = HOUR_MS) => issueOperatorToken(env, "operator", ttlMs, Date.now());
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describe("/ready", () => {
  test("answers 200 once settings, tables and an account exist", async () => {
    await premiumAccount();
    const response = await fetchWith({}, "/ready");
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toEqual({ status: "ready", problems: [] });
  });

  test("otherwise 503 with every problem, and no secret", async () => {
    const secret = "far too short";
    const response = await fetchWith({ BETTER_AUTH_SECRET: secret, DB: env.EMPTY_DB }, "/ready");
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "60"]);
    const text = await response.text();
    expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toEqual({
      status: "not_ready",
      problems: [
        {
          code: "misconfigured",
          message:
            "This deployment's BETTER_AUTH_SECRET has fewer than 32 characters: openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET",
        },
        { code: "not_migrated", message: "The database has no tables yet: npm run setup" },
      ],
    });
  });

  test("the account of the setup's check does not count", async () => {
    const noAccount = {
      status: "not_ready",
      problems: [{ code: "no_account", message: "No account exists yet: npm run setup" }],
    };
    const ready = async () => (await fetchWith({ DB: env.NEW_DB }, "/ready")).json();
    expect(await ready()).toEqual(noAccount);
    await createAccount({ DB: env.NEW_DB }, SETUP_CHECK_EMAIL.toUpperCase(), "premium");
    expect(await ready()).toEqual(noAccount);
    await createAccount({ DB: env.NEW_DB }, "first@example.com", "free");
    expect(await ready()).toEqual({ status: "ready", problems: [] });
  });

  test("a database that does not answer is one problem", async () => {
    const DB = {
      prepare: () => ({ all: () => Promise.reject(new Error("D1_ERROR: Network connection lost.")) }),
    } as unknown as D1Database;
    const response = await fetchWith({ DB }, "/ready");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: "not_ready",
      problems: [{ code: "unavailable", message: "The database does not respond" }],
    });
  });

  test("is not available as a slug on any domain", async () => {
    const reply = await (
      await premiumAccount()
    ).call("POST", "/v1/links", { url: "https://example.com/", slug: "Ready" });
    expect(reply.status).toBe(422);
  });
});

describe("/health?deep", () => {
  test("with an operator's token reports the state of each part", async () => {
    const response = await fetchWith({}, "/health?deep", bearer(await newToken()));
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const ms = expect.any(Number);
    expect(await response.json()).toEqual({
      status: "ok",
      version: env.VERSION.id,
      checks: [
        { name: "settings", ok: true, message: "The settings are valid", ms },
        {
          name: "hosts",
          ok: true,
          message: "http://localhost:8787, links on localhost:8787 and test.localhost:8787",
          ms,
        },
        { name: "database", ok: true, message: expect.stringMatching(/^Written and read/), ms },
        { name: "migrations", ok: true, message: "All are applied", ms },
        ...(onlyDatabase(env) ? [] : [{ name: "copies", ok: true, message: expect.stringMatching(/databases/), ms }]),
        { name: "objects", ok: true, message: "An object answered", ms },
        { name: "images", ok: true, message: "Stored and read", ms },
      ],
    });
  });

  test("repeated and simultaneous requests leave one row and one file", async () => {
    const token = await newToken();
    const responses = await Promise.all([1, 2, 3, 4].map(() => fetchWith({}, "/health?deep", bearer(token))));
    for (const response of responses) expect(await response.json()).toMatchObject({ status: "ok" });
    expect(await env.DB.prepare("SELECT count(*) AS n FROM health_checks").first("n")).toBe(1);
    expect((await env.QR_IMAGES.list({ prefix: "health" })).objects).toHaveLength(1);
  });

  test("failures are reported with 503, and the other parts are still checked", async () => {
    const bucket = { put: () => Promise.reject(new Error("put: We encountered an internal error (10001)")) };
    const changed = {
      QR_IMAGES: bucket as unknown as R2Bucket,
      BETTER_AUTH_SECRET: undefined,
    };
    const response = await fetchWith(changed, "/health?deep", bearer(await newToken()));
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "60"]);
    const { status, checks } = await response.json<{ status: string; checks: { name: string; ok: boolean }[] }>();
    expect(status).toBe("failing");
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["settings", "images"]);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "images", message: "put: We encountered an internal error (10001)" }),
    );
  });

  test("17 links whose passwords another secret has hashed are counted, in a warning that fails nothing", async () => {
    const ann = await premiumAccount();
    const checkWith = async (changed: ChangedEnv) => {
      const response = await fetchWith(changed, "/health?deep", bearer(await newToken()));
      const { status, checks } = await response.json<{ status: string; checks: { name: string; message: string }[] }>();
      expect([response.status, status]).toEqual([200, "ok"]);
      return checks.find(({ name }) => name === "passwords");
    };
    const countWith = async (changed: ChangedEnv) =>
      Number(/: (\d+)$/.exec((await checkWith(changed))?.message ?? "")?.[1] ?? 0);
    const replaced = { BETTER_AUTH_SECRET: "another secret of at least 32 characters" };
    // Links of other tests in the same storage.
    const others = await countWith(replaced);
    expect(await checkWith({})).toBeUndefined();
    const links = await Promise.all([1, 2, 3].map(() => ann.createLink({ password: "correct horse" })));
    expect(await checkWith({})).toBeUndefined();
    expect(await checkWith(replaced)).toEqual({
      name: "passwords",
      ok: true,
      warning: true,
      message: `Links that no password opens, since BETTER_AUTH_SECRET was replaced after it was set: ${others + 3}`,
      ms: expect.any(Number),
    });
    await fetchWith(replaced, `/v1/links/${links[0]?.id}`, {
      method: "PATCH",
      headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ password: "correct horse" }),
    });
    expect([await countWith(replaced), await countWith({})]).toEqual([others + 2, 1]);
    for (const { id } of links) await ann.call("DELETE", `/v1/links/${id}`);
    expect([await countWith(replaced), await countWith({})]).toEqual([others, 0]);
  });

  test("a missing binding is a failed check, not a failed response", async () => {
    const changed = { QR_IMAGES: undefined, LINK_CLICKS: undefined };
    const response = await fetchWith(changed, "/health?deep", bearer(await newToken()));
    expect(response.status).toBe(503);
    const { checks } = await response.json<{ checks: { name: string; ok: boolean }[] }>();
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["objects"]);
  });

  test("an operator's session gets the same report, in the dashboard's API as well; other accounts are refused", async () => {
    const email = newEmail();
    const browser = await signedUp(email);
    const { id } = await browser.account();
    const health = (path: string) => browser.call("GET", path);
    expect(await health("/dashboard/api/health")).toMatchObject({ status: 401 });
    await setOperator(env, email, true);
    expect(await health("/dashboard/api/health")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await health("/health?deep")).toMatchObject({ status: 200, body: { status: "ok" } });
    await suspendAccount(env, id);
    expect(await health("/dashboard/api/health")).toMatchObject({ status: 401 });
  });

  test("everyone else is refused with 401", async () => {
    const { key } = await premiumAccount();
    const setupToken = await issueOperatorToken(env, "setup", HOUR_MS, Date.now());
    const expired = await newToken(0);
    for (const token of [key, setupToken, expired, `opr_${"A".repeat(43)}`, "opr_"]) {
      const reply = await send("GET", "/health?deep=1", undefined, { Authorization: `Bearer ${token}` });
      expect(reply).toMatchObject({ status: 401, body: { error: { code: "invalid_operator_token" } } });
      expect(reply.headers.get("WWW-Authenticate")).toBe('Bearer realm="hoplink"');
      expect(JSON.stringify(reply.body)).not.toContain(token.slice(4, 30) || "opr_ ");
    }
    expect(await send("GET", "/health?deep")).toMatchObject({ status: 401 });
  });

  test("guesses are counted per network", async () => {
    const guess = () =>
      exports.default.fetch(`${BASE_URL}/health?deep`, {
        headers: { Authorization: `Bearer opr_${crypto.randomUUID()}-------`, "CF-Connecting-IP": "2001:db8:9::1" },
      });
    const statuses: number[] = [];
    for (let i = 0; i < 101; i++) statuses.push((await guess()).status);
    expect(statuses.slice(0, 100)).toEqual(Array<number>(100).fill(401));
    expect(statuses[100]).toBe(429);
  });
});
