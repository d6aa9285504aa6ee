/** The first account: created once, with a one-time or a chosen token, in a database without accounts. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { SETUP_CHECK_EMAIL } from "../../../src/core/account.ts";
import { SETUP_TOKEN_TTL_MS } from "../../../src/core/identifiers.ts";
import { createAccount } from "../../../src/store/accounts/accounts.ts";
import { closeAccount } from "../../../src/store/accounts/closed-accounts.ts";
import { createFirstAccount } from "../../../src/store/operators/first-account.ts";
import { issueOperatorToken } from "../../../src/store/operators/operator-tokens.ts";
import { PASSWORD, preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS } from "../../support/browser-session.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { BASE_URL } from "../../support/test-accounts.ts";

const NEW = { DB: env.NEW_DB };
/** Sign-ups are closed unless the operator opens them. */
const DEPLOYMENT = { ...NEW, SIGNUPS: "closed" } as Partial<Env>;
const TABLES = ["accounts", "account_states", "credentials", "sessions", "operator_tokens", "attempts"];

let networks = 0;

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);
beforeAll(() => applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS));
beforeEach(() => env.NEW_DB.batch(TABLES.map((table) => env.NEW_DB.prepare(`DELETE FROM ${table}`))));
afterEach(() => void vi.useRealTimers());

const newToken = (ttlMs = SETUP_TOKEN_TTL_MS) => issueOperatorToken(NEW, "setup", ttlMs, Date.now());

async function newTokenThatEnded(): Promise<string> {
  const token = await newToken();
  await newToken();
  return token;
}

function firstAccount(token: string) {
  return { token, email: "First@Example.com", name: " The operator ", password: PASSWORD };
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  deployment = DEPLOYMENT,
): Promise<Response> {
  const sent = {
    Origin: BASE_URL,
    "Content-Type": "application/json",
    "CF-Connecting-IP": `2001:db8:${(++networks).toString(16)}::1`,
    ...headers,
  };
  return fetchWith(deployment, `/dashboard/api${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) });
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  expect(response.headers.getSetCookie()).toEqual([]);
}

async function accountRows(): Promise<Record<string, unknown>[]> {
  return (await env.NEW_DB.prepare("SELECT * FROM accounts").all()).results;
}

describe("with the token", () => {
  test("creates an operator's account on the Premium plan, signs in, and invalidates the token", async () => {
    const token = await newToken();
    expect((await post("/setup/check", { token })).status).toBe(204);
    const response = await post("/setup", firstAccount(token));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(await accountRows()).toEqual([
      {
        id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
        email: "first@example.com",
        name: "The operator",
        plan: "premium",
        is_operator: 1,
        image: null,
        email_verified: 0,
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ]);
    const cookies = response.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual(["hoplink.session_token", "hoplink.device"]);
    for (const cookie of cookies) expect(cookie).toMatch(/; Path=\/dashboard; HttpOnly; SameSite=Lax$/);
    const Cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const account = await fetchWith(DEPLOYMENT, "/dashboard/api/account", { headers: { Cookie } });
    expect(await account.json()).toMatchObject({ email: "first@example.com", plan: "premium", name: "The operator" });
    expect((await fetchWith(DEPLOYMENT, "/dashboard/api/health", { headers: { Cookie } })).status).toBe(200);
    expect(await env.NEW_DB.prepare("SELECT count(*) AS n FROM operator_tokens").first("n")).toBe(0);
    await expectRefusal(await post("/setup", firstAccount(token)), 409, "already_set_up");
    await expectRefusal(await post("/setup/check", { token }), 409, "already_set_up");
  });

  test("the account has that password: signing in with it works", async () => {
    await post("/setup", firstAccount(await newToken()));
    const signIn = (password: string) => post("/auth/sign-in/email", { email: "first@example.com", password });
    expect((await signIn(PASSWORD)).status).toBe(200);
    expect((await signIn(`${PASSWORD} `)).status).toBe(401);
  });

  test("one of many simultaneous requests creates an account, with one password", async () => {
    const token = await newToken();
    const tries = Array.from({ length: 6 }, (_, i) =>
      post("/setup", { ...firstAccount(token), email: `racer-${i}@example.com` }),
    );
    const responses = await Promise.all(tries);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409, 409, 409]);
    expect(await accountRows()).toHaveLength(1);
    expect(await env.NEW_DB.prepare("SELECT count(*) AS n FROM credentials").first("n")).toBe(1);
    for (const response of responses) await response.text();
  });

  test("the account of the setup's check does not prevent setup, and its address cannot be used", async () => {
    await createAccount(NEW, SETUP_CHECK_EMAIL, "premium");
    const token = await newToken();
    const taken = await post("/setup", { ...firstAccount(token), email: SETUP_CHECK_EMAIL.toUpperCase() });
    await expectRefusal(taken, 422, "validation_failed");
    expect((await post("/setup", firstAccount(token))).status).toBe(204);
  });

  test("an Idempotency-Key header has no effect", async () => {
    const response = await post("/setup", firstAccount(await newToken()), { "Idempotency-Key": "once" });
    expect(response.status).toBe(204);
  });
});

describe("without a valid token nothing is created", () => {
  test.each([
    ["expired", () => newToken(0)],
    ["an operator's", () => issueOperatorToken(NEW, "operator", SETUP_TOKEN_TTL_MS, Date.now())],
    ["another", async () => `opr_${"A".repeat(43)}`],
    ["none", async () => ""],
    ["one that a newer token has invalidated", newTokenThatEnded],
  ])("%s", async (_, issue) => {
    const token = await issue();
    await expectRefusal(await post("/setup/check", { token }), 403, "invalid_setup_token");
    await expectRefusal(await post("/setup", firstAccount(token)), 403, "invalid_setup_token");
    expect(await accountRows()).toEqual([]);
  });

  test("an account created in another way invalidates the token, even if that account is closed again", async () => {
    const token = await newToken();
    const account = await createAccount(NEW, "another@example.com", "free");
    await expectRefusal(await post("/setup", firstAccount(token)), 409, "already_set_up");
    expect(await accountRows()).toHaveLength(1);
    await closeAccount(NEW, account?.id ?? "");
    await expectRefusal(await post("/setup", firstAccount(token)), 403, "invalid_setup_token");
    expect(await accountRows()).toEqual([]);
  });

  test("pages of other sites are refused", async () => {
    const token = await newToken();
    const response = await post("/setup", firstAccount(token), { Origin: "https://evil.example" });
    await expectRefusal(response, 403, "invalid_origin");
    expect(await accountRows()).toEqual([]);
  });

  test("attempts are counted per network", async () => {
    const from = { "CF-Connecting-IP": "2001:db8:ffff::1" };
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await post("/setup/check", { token: "opr_" }, from)).status);
    expect([statuses.at(-2), statuses.at(-1)]).toEqual([403, 429]);
  });
});

describe("with FIRST_ACCOUNT_TOKEN", () => {
  const TOKEN = "chosen+by/the deployer=ü";
  const HOUR_MS = 3_600_000;
  const choosing = (FIRST_ACCOUNT_TOKEN: string): typeof DEPLOYMENT => ({ ...DEPLOYMENT, FIRST_ACCOUNT_TOKEN });

  function postTo(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return post(path, body, headers, choosing(TOKEN));
  }

  test("creates an operator's account on the Premium plan and signs in; the token then has no effect", async () => {
    expect((await postTo("/setup/check", { token: TOKEN })).status).toBe(204);
    const response = await postTo("/setup", firstAccount(TOKEN));
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()).not.toEqual([]);
    const [account] = await accountRows();
    expect(account).toMatchObject({ email: "first@example.com", plan: "premium", is_operator: 1 });
    await expectRefusal(await postTo("/setup/check", { token: TOKEN }), 409, "already_set_up");
    await expectRefusal(await postTo("/setup", firstAccount(TOKEN)), 409, "already_set_up");
    await closeAccount(NEW, String(account?.["id"]));
    await expectRefusal(await postTo("/setup/check", { token: TOKEN }), 403, "invalid_setup_token");
    await expectRefusal(await postTo("/setup", firstAccount(TOKEN)), 403, "invalid_setup_token");
    expect(await accountRows()).toEqual([]);
    // The operator can still issue a one-time token.
    expect((await postTo("/setup", firstAccount(await newToken()))).status).toBe(204);
  });

  test("an account that is created and closed while a request is checked prevents that request's account", async () => {
    const account = await createAccount(NEW, "another@example.com", "free");
    await closeAccount(NEW, account?.id ?? "");
    const holder = { email: "first@example.com", name: "", passwordHash: "hash" };
    expect(await createFirstAccount(NEW, null, holder, Date.now())).toBeNull();
    expect(await accountRows()).toEqual([]);
  });

  test("one of many simultaneous requests creates an account, with one password", async () => {
    const tries = Array.from({ length: 6 }, (_, i) =>
      postTo("/setup", { ...firstAccount(TOKEN), email: `racer-${i}@example.com` }),
    );
    const responses = await Promise.all(tries);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409, 409, 409]);
    expect(await accountRows()).toHaveLength(1);
    expect(await env.NEW_DB.prepare("SELECT count(*) AS n FROM credentials").first("n")).toBe(1);
    for (const response of responses) await response.text();
  });

  test.each(["", TOKEN.slice(1), TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), `opr_${"A".repeat(43)}`])(
    "%j is refused",
    async (token) => {
      await expectRefusal(await postTo("/setup/check", { token }), 403, "invalid_setup_token");
      await expectRefusal(await postTo("/setup", firstAccount(token)), 403, "invalid_setup_token");
      expect(await accountRows()).toEqual([]);
    },
  );

  test("a network has ten attempts an hour, and refused ones do not prolong the wait", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const from = (ip: string) => ({ "CF-Connecting-IP": ip });
    const check = async (token: string, ip: string) => (await postTo("/setup/check", { token }, from(ip))).status;
    const tries = Array.from({ length: 12 }, (_, i) => check(`a wrong token ${i}`, `2001:db8:fffe::${i}`));
    expect((await Promise.all(tries)).sort()).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
    const refused = await postTo("/setup", firstAccount(TOKEN), from("2001:db8:fffe::1"));
    await expectRefusal(refused, 429, "rate_limited");
    expect(refused.headers.get("Retry-After")).toBe("3600");
    expect(await check(TOKEN, "2001:db8:fffd::1")).toBe(204);
    expect((await postTo("/setup/check", { token: await newToken() }, from("2001:db8:fffe::1"))).status).toBe(204);
    freezeClockAt(start + HOUR_MS - 1);
    expect(await check(TOKEN, "2001:db8:fffe::1")).toBe(429);
    freezeClockAt(start + HOUR_MS);
    expect(await check(TOKEN, "2001:db8:fffe::1")).toBe(204);
  });

  test("the right token ends the count", async () => {
    const from = { "CF-Connecting-IP": "2001:db8:fffc::1" };
    const check = async (token: string) => (await postTo("/setup/check", { token }, from)).status;
    for (let i = 0; i < 9; i++) expect(await check("a wrong token")).toBe(403);
    expect(await check(TOKEN)).toBe(204);
    expect(await env.NEW_DB.prepare("SELECT count(*) AS n FROM attempts").first("n")).toBe(0);
    expect(await check("a wrong token")).toBe(403);
  });

  test.each(["fifteen letters", "x".repeat(101)])("%j is not valid, and setup says so", async (chosen) => {
    const settings = choosing(chosen);
    const token = chosen.slice(0, 100);
    const response = await post("/setup/check", { token }, {}, settings);
    const message =
      "This deployment's FIRST_ACCOUNT_TOKEN must have 16 to 100 characters: npx wrangler secret put FIRST_ACCOUNT_TOKEN";
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: "misconfigured", message } },
    ]);
    expect((await fetchWith(settings, "/dashboard/api/config")).status).toBe(200);
    expect((await post("/setup", firstAccount(await newToken()), {}, settings)).status).toBe(204);
    await expectRefusal(await post("/setup/check", { token }, {}, settings), 409, "already_set_up");
  });

  test.each(["x".repeat(16), "x".repeat(100)])("%j is valid", async (chosen) => {
    expect((await post("/setup/check", { token: chosen }, {}, choosing(chosen))).status).toBe(204);
  });
});

test.each([
  ["an invalid address", { email: "not-an-address" }, "email"],
  ["a short password", { password: "ninechars" }, "password"],
  ["a long password", { password: "x".repeat(129) }, "password"],
  ["a password of spaces", { password: " ".repeat(12) }, "password"],
  ["a long name", { name: "n".repeat(101) }, "name"],
  ["a long address", { email: `${"e".repeat(64)}@${"e".repeat(190)}.example` }, "email"],
  ["a long token", { token: "t".repeat(101) }, "token"],
  ["a plan", { plan: "premium" }, "plan"],
])("%s is refused, with its field, and the token stays valid", async (_, wrong, field) => {
  const token = await newToken();
  const response = await post("/setup", { ...firstAccount(token), ...wrong });
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { error: { code: "validation_failed", param: field } },
  ]);
  expect((await post("/setup/check", { token })).status).toBe(204);
});
