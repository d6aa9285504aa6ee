/** A deployment without its secret, its tables or an account reports it: a page for people, JSON for programs. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { MIGRATIONS, pendingMigrations } from "../../src/store/operators/migrations.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../support/browser-session.ts";
import { type ChangedEnv, fetchWith } from "../support/changed-env.ts";
import { BASE_URL, premiumAccount } from "../support/test-accounts.ts";

const IN_A_BROWSER = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const WITHOUT_SECRET = { BETTER_AUTH_SECRET: undefined };
const WITHOUT_TABLES = { DB: env.EMPTY_DB, LINK_DATABASES: undefined };
/** A migration that the next release might add. */
const LATER_MIGRATION = { name: "0002_later.sql", queries: ["ALTER TABLE accounts ADD COLUMN later TEXT"] };
const PAGES = ["/", "/docs", "/docs/errors", "/dashboard", "/dashboard/", "/dashboard/sign-in", "/dashboard/setup"];

let log: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function expectPage(response: Response, ...words: string[]): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("Retry-After")).toBe("60");
  expect(response.headers.get("Cache-Control")).toBe("no-store, no-transform");
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(response.headers.get("X-Request-Id")).toMatch(/^req_/);
  expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  const html = await response.text();
  for (const word of ["This deployment is not ready yet", ...words]) expect(html).toContain(word);
  expect(html).not.toMatch(/<script|SQLITE|D1_ERROR| at \S+\.ts/);
}

async function expectJson(response: Response, code: string, message: string): Promise<void> {
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "60"]);
  expect(await response.json()).toMatchObject({ error: { code, message } });
}

describe("without its secret", () => {
  const COMMAND = "openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET";

  test.each(PAGES)("%s is a page that names the setting and the command", async (path) => {
    const response = await fetchWith(WITHOUT_SECRET, path, IN_A_BROWSER);
    await expectPage(response, "BETTER_AUTH_SECRET is not set.", `<code>${COMMAND}</code>`);
  });

  test.each(["/v1/links", "/dashboard/api/config", "/dashboard"])("%s is JSON for programs", async (path) => {
    const message = `This deployment's BETTER_AUTH_SECRET is not set: ${COMMAND}`;
    await expectJson(await fetchWith(WITHOUT_SECRET, path), "misconfigured", message);
  });

  test.each(["/v1/links", "/dashboard/api/config"])("%s is JSON for a browser too", async (path) => {
    const response = await fetchWith(WITHOUT_SECRET, path, IN_A_BROWSER);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    await response.text();
  });
});

describe("without tables", () => {
  test.each(PAGES)("%s is a page that names the command", async (path) => {
    const response = await fetchWith(WITHOUT_TABLES, path, IN_A_BROWSER);
    await expectPage(response, "The database has no tables yet.", "<code>npm run setup</code>");
  });

  test(
    "no route of the API answers a bare 500",
    async () => {
      const { key } = await premiumAccount();
      const browser = await signedUp();
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const json = { "Content-Type": "application/json", Origin: BASE_URL, "CF-Connecting-IP": browser.ip };
      const post = (body: unknown) => ({ method: "POST", headers: json, body: JSON.stringify(body) });
      const account = { email: "first@example.com", password: "correct horse battery" };
      const requests: [string, RequestInit?][] = [
        ["/v1/links", { headers: { Authorization: `Bearer ${key}` } }],
        ["/v1/none", { headers: { Authorization: `Bearer ${key}` } }],
        ["/dashboard/api/account", { headers: { Cookie: cookie } }],
        ["/dashboard/api/auth/get-session", { headers: { Cookie: cookie } }],
        ["/dashboard/api/auth/sign-in/email", post(account)],
        ["/dashboard/api/auth/sign-up/email", post({ ...account, name: "" })],
        ["/dashboard/api/setup/check", post({ token: "opr_" })],
        ["/dashboard/api/setup", post({ ...account, token: "opr_", name: "" })],
        ["/health?deep", { headers: { Authorization: `Bearer opr_${"A".repeat(43)}` } }],
        ["/dashboard/api/health", { headers: { Cookie: cookie } }],
      ];
      for (const [path, init] of requests) {
        const response = await fetchWith(WITHOUT_TABLES, path, init);
        expect([path, response.status, response.headers.get("Retry-After")]).toEqual([path, 503, "60"]);
        const message = "The database has no tables yet: npm run setup";
        expect(await response.json()).toMatchObject({ error: { code: "not_migrated", message } });
      }
    },
    SIGN_IN_LOAD_TIMEOUT_MS,
  );

  test("a short URL answers 503 with a page, never 404 or 500", async () => {
    const response = await fetchWith(WITHOUT_TABLES, "/some-link", IN_A_BROWSER);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await response.text()).toContain("This link is temporarily unavailable");
  });

  test("paths that do not need the database are served", async () => {
    for (const path of ["/dashboard/api/config", "/openapi.json", "/robots.txt", "/health"]) {
      const response = await fetchWith(WITHOUT_TABLES, path);
      expect([path, response.status]).toEqual([path, 200]);
      await response.text();
    }
  });

  test("the cause is logged, and the page works again as soon as the tables exist", async () => {
    const deployment = { DB: env.NEW_DB, LINK_DATABASES: undefined };
    await expectPage(await fetchWith(deployment, "/docs", IN_A_BROWSER));
    MIGRATIONS.push(LATER_MIGRATION.name);
    onTestFinished(() => void MIGRATIONS.pop());
    await applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS);
    const page = await fetchWith(deployment, "/docs", IN_A_BROWSER);
    await expectPage(page, `The database lacks ${LATER_MIGRATION.name}.`);
    await applyD1Migrations(env.NEW_DB, [...env.TEST_MIGRATIONS, LATER_MIGRATION]);
    const response = await fetchWith(deployment, "/docs", IN_A_BROWSER);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("<title>")]);
    expect(log).not.toHaveBeenCalled();
  });
});

describe("with a database for links that is missing tables", () => {
  const settings = { LINK_DATABASES: '{"DB":"0-511","LINKS_9":"512-1023"}', LINKS_9: env.EMPTY_DB } as ChangedEnv;

  test("pages, requests and /health?deep name it", async () => {
    await expectPage(await fetchWith(settings, "/docs", IN_A_BROWSER), "The database LINKS_9 has no tables yet.");
    const { key } = await premiumAccount();
    const headers = { Authorization: `Bearer ${key}` };
    const reply = await fetchWith(settings, "/v1/links", { headers });
    await expectJson(reply, "not_migrated", "The database LINKS_9 has no tables yet: npm run setup");
    const token = await issueOperatorToken(env, "operator", 60_000, Date.now());
    const health = await fetchWith(settings, "/health?deep", { headers: { Authorization: `Bearer ${token}` } });
    const { checks } = await health.json<{ checks: { name: string; ok: boolean; message: string }[] }>();
    const failing = checks.filter(({ name, ok }) => !ok && name !== "copies");
    expect(failing.map(({ name, message }) => [name, message])).toEqual([
      ["database", expect.stringMatching(/^LINKS_9: .*no such table: health_checks/)],
      ["migrations", "The database LINKS_9 has no tables yet: npm run setup"],
    ]);
  });
});

describe("without an account", () => {
  test("the base address leads to sign-in, which mentions that no account exists; with an account, to the dashboard", async () => {
    await applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS);
    const homeOf = async (DB: D1Database) => (await fetchWith({ DB }, "/")).headers.get("Location");
    expect(await homeOf(env.NEW_DB)).toBe("/dashboard/setup");
    expect(await (await fetchWith({ DB: env.NEW_DB }, "/dashboard/api/config")).json()).toMatchObject({
      has_accounts: false,
    });
    await premiumAccount();
    expect(await homeOf(env.DB)).toBe("/dashboard");
  });
});

test("the code lists every migration, in order", async () => {
  expect(MIGRATIONS).toEqual(env.TEST_MIGRATIONS.map(({ name }) => name));
  expect(await pendingMigrations(env)).toEqual([]);
  expect(await pendingMigrations({ DB: env.EMPTY_DB })).toEqual([{ database: "DB", pending: MIGRATIONS }]);
});
