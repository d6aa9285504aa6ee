/** Accounts and sessions: better-auth on D1 as the dashboard uses it, and attacks on it. */
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import type { CreatedKey } from "../../../src/core/contract/dashboard.ts";
import { service } from "../../../src/api/service.ts";
import { createAccount } from "../../../src/store/accounts/accounts.ts";
import { setPassword } from "../../../src/store/auth/passwords.ts";
import worker from "../../../src/worker.ts";
import { TestAccount, BASE_URL, newAccount, premiumAccount, send, visit } from "../../support/test-accounts.ts";
import { spend, withinRateLimitWindow } from "../../support/rate-limit-window.ts";
import { errorOf } from "../../support/api-response.ts";
import {
  BrowserSession,
  SIGN_IN_LOAD_TIMEOUT_MS,
  preloadSignIn,
  newEmail,
  PASSWORD,
  SESSION_COOKIE,
  signedUp,
  signUp,
} from "../../support/browser-session.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { INVALID_PASSWORD, MISSING_SESSION, PAYLOAD_TOO_LARGE } from "../../support/expected-errors.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Sends a request to a Worker with other settings. */
async function withEnv(changed: Partial<Env>, path: string, body?: unknown, ip = "::9"): Promise<Response> {
  const ctx = createExecutionContext();
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { Origin: BASE_URL, "Content-Type": "application/json", "CF-Connecting-IP": ip };
  const request = new Request(BASE_URL + path, { ...init, headers, redirect: "manual" });
  const response = await worker.fetch(
    request as Request<unknown, IncomingRequestCfProperties>,
    { ...env, ...changed },
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}

describe("signing up", () => {
  test("creates an account on the Free plan and signs in", async () => {
    const email = newEmail();
    const browser = await signUp(email);
    expect(await browser.account()).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
      email,
      name: "Test User",
      plan: "free",
      is_operator: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test("scripts cannot read the cookie, which is for the dashboard only; with https it is Secure", async () => {
    const body = { name: "", email: newEmail(), password: PASSWORD };
    const reply = await new BrowserSession().auth("/sign-up/email", body);
    const attributes = reply.headers.getSetCookie().map((cookie) => cookie.split("; ").slice(1).sort());
    const forDays = (days: number) => [
      "HttpOnly",
      `Max-Age=${(days * DAY_MS) / 1_000}`,
      "Path=/dashboard",
      "SameSite=Lax",
    ];
    // The session cookie, and the cookie that marks this browser as one that has signed in.
    expect(attributes).toEqual([forDays(7), forDays(365)]);
    const deployed = {
      BASE_URL: "https://hop.example",
      SHORT_DOMAIN: "go.example",
      TEST_SHORT_DOMAIN: "test.go.example",
    };
    const path = "/dashboard/api/auth/sign-up/email";
    const answer = await service.request(
      deployed.BASE_URL + path,
      {
        method: "POST",
        headers: { Origin: deployed.BASE_URL, "Content-Type": "application/json", "CF-Connecting-IP": "::8" },
        body: JSON.stringify({ ...body, email: newEmail() }),
      },
      { ...env, ...deployed },
      createExecutionContext(),
    );
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Secure-hoplink\.session_token=[^;]+; Max-Age=604800; Path=\/dashboard; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test.each([
    ["a plan", { plan: "premium" }],
    ["an operator's rights", { isOperator: true, is_operator: 1 }],
    ["an id", { id: "acc_mine" }],
    ["a verified address", { emailVerified: true }],
    ["a time", { createdAt: 0 }],
  ])("callers cannot give themselves %s", async (_, extra) => {
    const email = newEmail();
    const browser = new BrowserSession();
    await browser.auth("/sign-up/email", { name: "", email, password: PASSWORD, ...extra });
    await browser.signIn(email);
    const row = await env.DB.prepare("SELECT * FROM accounts WHERE email = ?1").bind(email).first();
    if (!row) return;
    expect(row).toMatchObject({
      plan: "free",
      is_operator: 0,
      id: expect.stringMatching(/^acc_01/),
      email_verified: 0,
    });
    expect(Number(row["created_at"])).toBeGreaterThan(Date.now() - DAY_MS);
  });

  test("an address has one account, however it is written, even if an operator created it", async () => {
    const email = newEmail();
    await createAccount(env, email, "premium");
    for (const written of [email, email.toUpperCase()]) {
      const reply = await new BrowserSession().auth("/sign-up/email", { name: "", email: written, password: PASSWORD });
      expect([reply.status, (reply.body as { code: string }).code]).toEqual([
        422,
        "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
      ]);
    }
  });

  test.each(["short", "x".repeat(129), ""])("the password %j is refused", async (password) => {
    const reply = await new BrowserSession().auth("/sign-up/email", { name: "", email: newEmail(), password });
    expect(reply.status).toBe(400);
  });

  test("is closed where the deployment says so; signing in still works", async () => {
    const email = newEmail();
    await signUp(email);
    const closed = { SIGNUPS: "closed" } as unknown as Partial<Env>;
    const body = { name: "", email: newEmail(), password: PASSWORD };
    const refused = await withEnv(closed, "/dashboard/api/auth/sign-up/email", body);
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "EMAIL_PASSWORD_SIGN_UP_DISABLED" }]);
    expect((await withEnv(closed, "/dashboard/api/auth/sign-in/email", { email, password: PASSWORD })).status).toBe(
      200,
    );
    expect(await (await withEnv(closed, "/dashboard/api/config")).json()).toMatchObject({ signups: "closed" });
  });
});

test.each([
  ["", "free"],
  ["free", "free"],
  ["premium", "premium"],
  ["Premium", "free"],
])("with DEFAULT_PLAN %j, accounts that sign up have the plan %s", async (DEFAULT_PLAN, plan) => {
  const email = newEmail();
  const { ip } = new BrowserSession();
  const body = { name: "", email, password: PASSWORD };
  const reply = await withEnv({ DEFAULT_PLAN }, "/dashboard/api/auth/sign-up/email", body, ip);
  expect(reply.status).toBe(200);
  expect(await env.DB.prepare("SELECT plan FROM accounts WHERE email = ?1").bind(email).first("plan")).toBe(plan);
});

describe("sign-in methods of the deployment", () => {
  test("passwords and passkeys", async () => {
    await signedUp();
    const reply = await new BrowserSession().api("GET", "/config");
    const short_domains = { live: "localhost:8787", test: "test.localhost:8787" };
    expect(reply.body).toEqual({ signups: "open", providers: [], passkeys: true, has_accounts: true, short_domains });
  });

  test("GitHub and Google if both halves of their keys are set, with the callback address", async () => {
    const keys = { GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret", GOOGLE_CLIENT_ID: "half" };
    expect(await (await withEnv(keys, "/dashboard/api/config")).json()).toMatchObject({ providers: ["github"] });
    const path = "/dashboard/api/auth/sign-in/social";
    const answer = await withEnv(keys, path, { provider: "github", callbackURL: "/dashboard", disableRedirect: true });
    const { url } = (await answer.json()) as { url: string };
    expect(new URL(url).origin).toBe("https://github.com");
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${BASE_URL}/dashboard/api/auth/callback/github`);
    const foreign = { provider: "github", callbackURL: "https://evil.example/", disableRedirect: true };
    expect((await withEnv(keys, path, foreign)).status).toBe(403);
    // These would be stored for a day without an account.
    for (const more of [{ additionalData: { a: "b" } }, { idToken: { token: "a".repeat(20_000) } }])
      expect((await withEnv(keys, path, { provider: "github", ...more }, "2001:db8:9::9")).status).toBe(400);
  });

  test.each(["/request-password-reset", "/send-verification-email", "/change-email", "/delete-user", "/verify-email"])(
    "%s, which needs mail or has its own route in the service, does not exist",
    async (path) => {
      const browser = await signedUp();
      expect((await browser.auth(path, { email: newEmail(), newEmail: newEmail() })).status).toBe(404);
      expect((await browser.account()).email).toMatch(/@example.com$/);
    },
  );
});

describe("sessions", () => {
  test("signing out ends the session: the next request with its cookie is refused", async () => {
    const browser = await signUp();
    const kept = new Map(browser.cookies);
    expect((await browser.auth("/sign-out")).status).toBe(200);
    expect([...browser.cookies.keys()]).toEqual(["hoplink.device"]);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect(errorOf(await browser.api("GET", "/links"))).toEqual(MISSING_SESSION);
  });

  test("signing in replaces a session that existed before", async () => {
    const email = newEmail();
    const attacker = await signedUp();
    await signedUp(email);
    const victim = new BrowserSession();
    const planted = attacker.cookies.get(SESSION_COOKIE) ?? "";
    victim.cookies.set(SESSION_COOKIE, planted);
    expect((await victim.signIn(email)).status).toBe(200);
    expect(victim.cookies.get(SESSION_COOKIE)).not.toBe(planted);
    expect((await victim.account()).email).toBe(email);
    expect((await attacker.account()).email).not.toBe(email);
  });

  test("a made-up session is not accepted", async () => {
    const email = newEmail();
    await signedUp(email);
    const victim = new BrowserSession();
    victim.cookies.set(SESSION_COOKIE, "made-up.AAAA");
    await victim.signIn(email);
    expect(victim.cookies.get(SESSION_COOKIE)).not.toBe("made-up.AAAA");
  });

  test("are listed, and ended one by one or all others together", async () => {
    const email = newEmail();
    const [here, there, elsewhere] = [await signedUp(email), new BrowserSession(), new BrowserSession()];
    await there.signIn(email);
    await elsewhere.signIn(email);
    const list = async () => (await here.call("GET", "/dashboard/api/auth/list-sessions")).body as { token: string }[];
    expect((await list()).length).toBe(3);
    const token = decodeURIComponent(there.cookies.get(SESSION_COOKIE) ?? "").split(".")[0];
    expect((await here.auth("/revoke-session", { token })).status).toBe(200);
    expect((await there.api("GET", "/links")).status).toBe(401);
    expect((await elsewhere.api("GET", "/links")).status).toBe(200);
    expect((await here.auth("/revoke-other-sessions")).status).toBe(200);
    expect((await elsewhere.api("GET", "/links")).status).toBe(401);
    expect((await list()).length).toBe(1);
  });

  test("a session of another account cannot be ended", async () => {
    const [mine, theirs] = [await signedUp(), await signedUp()];
    const token = decodeURIComponent(theirs.cookies.get(SESSION_COOKIE) ?? "").split(".")[0];
    await mine.auth("/revoke-session", { token });
    expect((await theirs.api("GET", "/links")).status).toBe(200);
  });

  test("end after a week without a visit; visits extend them", async () => {
    const browser = await signedUp();
    const start = Date.now();
    freezeClockAt(start + 6 * DAY_MS);
    const reply = await browser.api("GET", "/links");
    expect(reply.headers.getSetCookie()[0]).toContain("Max-Age=604800");
    freezeClockAt(start + 12 * DAY_MS);
    expect((await browser.api("GET", "/links")).status).toBe(200);
    freezeClockAt(start + 20 * DAY_MS);
    expect((await browser.api("GET", "/links")).status).toBe(401);
  });

  test("are extended by a stream, too", async () => {
    const browser = await signedUp();
    freezeClockAt(Date.now() + 2 * DAY_MS);
    const reply = await browser.call("HEAD", "/dashboard/api/events/stream");
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()[0]).toContain("Max-Age=604800");
  });

  test("store no IP address", async () => {
    const browser = await signUp();
    const { id } = await browser.account();
    const { results } = await env.DB.prepare("SELECT ip_address FROM sessions WHERE account_id = ?1").bind(id).all();
    expect(results).toEqual([{ ip_address: "" }]);
  });
});

describe("passwords", () => {
  test("changing one requires the old one and ends all other sessions, whatever the request contains", async () => {
    const email = newEmail();
    const [here, there] = [await signedUp(email), new BrowserSession()];
    await there.signIn(email);
    const changed = "another horse battery";
    const wrong = await here.auth("/change-password", { currentPassword: "not the password", newPassword: changed });
    expect(wrong.status).toBe(400);
    const body = { currentPassword: PASSWORD, newPassword: changed, revokeOtherSessions: false };
    expect((await here.auth("/change-password", body)).status).toBe(200);
    expect((await here.api("GET", "/links")).status).toBe(200);
    expect((await there.api("GET", "/links")).status).toBe(401);
    expect((await there.signIn(email, PASSWORD)).status).toBe(401);
    expect((await there.signIn(email, changed)).status).toBe(200);
  });

  test("an operator can set one, which ends the account's sessions", async () => {
    const ann = await newAccount("premium");
    const browser = new BrowserSession();
    expect((await browser.signIn(ann.email)).status).toBe(401);
    expect(await setPassword(env, ann.email, PASSWORD)).toBe(ann.accountId);
    expect((await browser.signIn(ann.email)).status).toBe(200);
    expect(await browser.account()).toMatchObject({ id: ann.accountId, plan: "premium" });
    await setPassword(env, ann.email, "given by the operator");
    expect((await browser.api("GET", "/links")).status).toBe(401);
    expect((await browser.signIn(ann.email)).status).toBe(401);
    expect((await browser.signIn(ann.email, "given by the operator")).status).toBe(200);
    expect(await setPassword(env, newEmail(), PASSWORD)).toBeNull();
  });

  test("are stored as scrypt, salted", async () => {
    const email = newEmail();
    const { id } = await (await signUp(email)).account();
    const other = await (await signUp()).account();
    const { results } = await env.DB.prepare("SELECT password FROM credentials WHERE account_id IN (?1, ?2)")
      .bind(id, other.id)
      .all<{ password: string }>();
    const [one, two] = results.map(({ password }) => password);
    expect(one).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect(one).not.toBe(two);
  });

  test("an unknown address gets the same response as a wrong password, after the same time", async () => {
    const email = newEmail();
    await signedUp(email);
    const answerTo = async (address: string) => {
      const { status, body } = await new BrowserSession().signIn(address, "wrong password");
      return { status, body };
    };
    expect(await answerTo(newEmail())).toEqual(await answerTo(email));
    /** The fastest of three tries, because a pause of the machine can only lengthen one. */
    const fastest = async (address: () => string) => {
      let ms = Infinity;
      for (let i = 0; i < 3; i++) {
        const start = performance.now();
        await answerTo(address());
        ms = Math.min(ms, performance.now() - start);
      }
      return ms;
    };
    // Without hashing, it would take a few milliseconds.
    expect(await fastest(newEmail)).toBeGreaterThan((await fastest(() => email)) / 4);
  });
});

describe("guessing", () => {
  test("an IP address is blocked after 10 tries within a minute, others are not; after the minute it can sign in again", async () => {
    const email = newEmail();
    await signedUp(email);
    const guesser = new BrowserSession();
    const tries: number[] = [];
    for (let i = 0; i < 12; i++) tries.push((await guesser.signIn(newEmail(), "a wrong guess")).status);
    expect(tries).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const held = await guesser.signIn(email);
    expect(held.status).toBe(429);
    expect(Number(held.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await new BrowserSession().signIn(email)).status).toBe(200);
    freezeClockAt(Date.now() + 61_000);
    expect((await guesser.signIn(email)).status).toBe(200);
  });

  test("the count is in the database, where every isolate sees it, and is deleted by the nightly sweep", async () => {
    const guesser = new BrowserSession("203.0.113.77");
    await guesser.signIn(newEmail(), "a wrong guess");
    await guesser.signIn(newEmail(), "a wrong guess");
    const count = () => env.DB.prepare("SELECT count FROM attempts WHERE key LIKE ?1 || '%'").bind(guesser.ip).all();
    expect((await count()).results).toEqual([{ count: 2 }]);
    freezeClockAt(Date.now() + DAY_MS);
    await worker.scheduled(createScheduledController(), env);
    expect((await count()).results).toEqual([]);
  });

  test("sessions and challenges that expired days ago are deleted by the next nightly sweep, and no others", async () => {
    const sql = "SELECT id FROM sessions UNION ALL SELECT id FROM challenges ORDER BY id";
    const ids = async () => (await env.DB.prepare(sql).all<{ id: string }>()).results.map(({ id }) => id);
    const start = Date.now();
    const addedAt = async (at: number) => {
      freezeClockAt(at);
      const before = await ids();
      await (await signedUp()).call("GET", "/dashboard/api/auth/passkey/generate-authenticate-options");
      return (await ids()).filter((id) => !before.includes(id));
    };
    const [old, current] = [await addedAt(start - 10 * DAY_MS), await addedAt(start)];
    expect([old.length, current.length]).toEqual([2, 2]);
    await worker.scheduled(createScheduledController(), env);
    expect((await ids()).filter((id) => [...old, ...current].includes(id))).toEqual(current);
  });

  test("an account is blocked after 20 tries within a minute, from any number of IP addresses", async () => {
    const tries = await withinRateLimitWindow(async () => {
      const email = newEmail();
      await signedUp(email);
      await spend(env.SIGN_IN, `email:${email}`, 17);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await new BrowserSession().signIn(email, "a wrong guess")).status);
      return statuses;
    });
    expect(tries).toEqual([401, 401, 401, 429]);
  });
});

describe("malicious input", () => {
  test("an endless body is not read", async () => {
    const email = newEmail();
    const reply = await new BrowserSession().auth("/sign-up/email", {
      name: "x".repeat(300_000),
      email,
      password: PASSWORD,
    });
    expect(errorOf(reply)).toEqual(PAYLOAD_TOO_LARGE);
    expect((await new BrowserSession().signIn(email)).status).toBe(401);
  });

  test.each([
    { name: "x".repeat(101) },
    { name: null },
    { name: { nested: "x" } },
    { image: `https://example.com/${"x".repeat(2_048)}` },
  ])("a profile that is too long is not stored, at sign-up or later", async (profile) => {
    const email = newEmail();
    const refused = await new BrowserSession().auth("/sign-up/email", {
      name: "",
      ...profile,
      email,
      password: PASSWORD,
    });
    expect(refused.status).toBe(400);
    const browser = await signedUp(email);
    expect((await browser.auth("/update-user", profile)).status).toBe(400);
    expect((await browser.account()).name).toBe("Test User");
  });

  test("a session cannot be used to guess the password, from any number of IP addresses", async () => {
    expect((await (await signedUp()).auth("/verify-password", { password: PASSWORD })).status).toBe(404);
    const tries = await withinRateLimitWindow(async () => {
      const browser = await signedUp();
      await spend(env.SIGN_IN, (await browser.account()).id, 17);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) {
        const elsewhere = new BrowserSession();
        for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
        const guess = { currentPassword: "a wrong guess", newPassword: "another one entirely" };
        statuses.push((await elsewhere.auth("/change-password", guess)).status);
      }
      return statuses;
    });
    expect(tries).toEqual([400, 400, 400, 429]);
  });
});

describe("authenticator apps", () => {
  /** Secret, times and codes of RFC 6238, appendix B: the last six of its eight digits. */
  const SECRET = "3132333435363738393031323334353637383930";
  const RFC_CODES = [
    ["2005-03-18T01:58:29Z", "081804"],
    ["2005-03-18T01:58:31Z", "050471"],
    ["2009-02-13T23:31:30Z", "005924"],
    ["2033-05-18T03:33:20Z", "279037"],
  ] as const;
  const refused = (code: string) => ({ status: 401, body: { code } });

  /** An account with an app, added at the first of the times. */
  async function withApp() {
    freezeClockAt(RFC_CODES[0][0]);
    const email = newEmail();
    const browser = await signedUp(email);
    const app = { secret: SECRET, code: RFC_CODES[0][1], password: PASSWORD };
    const { status, body } = await browser.api("PUT", "/account/totp", app);
    expect([status, body]).toEqual([
      201,
      { recovery_codes: Array(10).fill(expect.stringMatching(/^(\w{4}-){3}\w{4}$/)) },
    ]);
    const { recovery_codes } = body as { recovery_codes: string[] };
    return {
      email,
      browser,
      codes: recovery_codes,
      signIn: (code?: string) => new BrowserSession().signIn(email, PASSWORD, code),
    };
  }

  test("are added with the password and a right code, once; the database has neither secret nor codes", async () => {
    freezeClockAt(RFC_CODES[0][0]);
    const browser = await signedUp();
    const app = { secret: SECRET, code: RFC_CODES[0][1], password: PASSWORD };
    const add = (changed: object) => browser.api("PUT", "/account/totp", { ...app, ...changed });
    expect(errorOf(await add({ password: "a wrong guess" }))).toEqual(INVALID_PASSWORD);
    expect(errorOf(await add({ password: undefined }))).toEqual(INVALID_PASSWORD);
    for (const wrong of [{ code: "081805" }, { code: "" }, { secret: "31" }, { secret: SECRET.replace("3", "g") }]) {
      expect(await add(wrong)).toMatchObject({ status: 422, body: { error: { code: "validation_failed" } } });
    }
    const security = async () => (await browser.api("GET", "/account/security")).body;
    expect(await security()).toEqual({ totp: null });
    const added = await add({});
    expect(added.status).toBe(201);
    expect(await security()).toEqual({ totp: { enabled_at: "2005-03-18T01:58:29.000Z", recovery_codes_left: 10 } });
    expect((await add({})).status).toBe(422);
    const row = env.DB.prepare("SELECT * FROM totp_factors WHERE account_id = ?1").bind((await browser.account()).id);
    const stored = JSON.stringify(await row.first());
    for (const code of (added.body as { recovery_codes: string[] }).recovery_codes) {
      expect(stored).not.toContain(code.replaceAll("-", ""));
    }
    expect(stored).not.toContain(SECRET);
  });

  test("are required after the right password; each code is accepted once, also by two requests at once", async () => {
    const { email, signIn } = await withApp();
    expect(await new BrowserSession().signIn(email, "a wrong guess", "050471")).toMatchObject(
      refused("INVALID_EMAIL_OR_PASSWORD"),
    );
    const withoutCode = await signIn();
    expect(withoutCode).toMatchObject(refused("CODE_REQUIRED"));
    expect(withoutCode.headers.getSetCookie().join()).not.toMatch(/session_token=\w|device=/);
    expect(await signIn("081804")).toMatchObject(refused("INVALID_CODE"));
    freezeClockAt(RFC_CODES[1][0]);
    expect(await signIn("050471")).toMatchObject({ status: 200 });
    expect(await signIn("050471")).toMatchObject(refused("INVALID_CODE"));
    freezeClockAt(RFC_CODES[2][0]);
    const both = await Promise.all([signIn("005924"), signIn("005 924")]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test.each([
    ["two steps late", 60, 401],
    ["a step late", 30, 200],
    ["a step early", -30, 200],
    ["two steps early", -60, 401],
  ])("may have a clock that is wrong by one step: %s", async (_, seconds, status) => {
    const { signIn } = await withApp();
    freezeClockAt(Date.parse(RFC_CODES[3][0]) + seconds * 1_000);
    expect((await signIn("279037")).status).toBe(status);
  });

  test("are replaced by a recovery code, once, until new ones are created", async () => {
    const { browser, codes, signIn } = await withApp();
    const [first = "", second = "", third = ""] = codes;
    const both = await Promise.all([signIn(first), signIn(first.replaceAll("-", " ").toUpperCase())]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await browser.api("GET", "/account/security")).body).toMatchObject({ totp: { recovery_codes_left: 9 } });
    expect((await signIn(second)).status).toBe(200);
    expect(errorOf(await browser.api("POST", "/account/totp/recovery-codes", {}))).toEqual(INVALID_PASSWORD);
    const replaced = await browser.api("POST", "/account/totp/recovery-codes", { password: PASSWORD });
    expect((await signIn(third)).status).toBe(401);
    expect((await signIn((replaced.body as { recovery_codes: string[] }).recovery_codes[0])).status).toBe(200);
  });

  test("are removed with the password", async () => {
    const { browser, signIn } = await withApp();
    expect(errorOf(await browser.api("DELETE", "/account/totp", { password: "a guess" }))).toEqual(INVALID_PASSWORD);
    expect(await signIn()).toMatchObject(refused("CODE_REQUIRED"));
    expect((await browser.api("DELETE", "/account/totp", { password: PASSWORD })).status).toBe(204);
    expect((await signIn()).status).toBe(200);
    expect((await browser.api("POST", "/account/totp/recovery-codes", { password: PASSWORD })).status).toBe(404);
  });

  test("admit ten wrong codes an hour, and 50 from a network; a browser that knows the account has its own ten", async () => {
    const { email, codes, signIn } = await withApp();
    const known = new BrowserSession();
    expect((await known.signIn(email, PASSWORD, codes[0])).status).toBe(200);
    expect((await signIn("000000")).status).toBe(401);
    const used = (key: string, count: number) =>
      env.DB.prepare("UPDATE attempts SET count = ?2 WHERE key LIKE ?1").bind(key, count).run();
    await used("acc_%|code", 9);
    expect((await signIn("000000")).status).toBe(401);
    const late = await signIn(codes[1]);
    expect([late.status, late.headers.get("Retry-After")]).toEqual([429, "3600"]);
    expect((await known.signIn(email, PASSWORD, codes[2])).status).toBe(200);
    expect((await known.signIn(email, PASSWORD, "000000")).status).toBe(401);
    await used("2001:%|code", 50);
    expect((await known.signIn(email, PASSWORD, codes[3])).status).toBe(429);
    freezeClockAt(Date.parse(RFC_CODES[0][0]) + 3_600_000);
    expect((await known.signIn(email, PASSWORD, codes[3])).status).toBe(200);
  });

  test("of another secret refuse every code; recovery codes still work", async () => {
    const { email, codes } = await withApp();
    freezeClockAt(RFC_CODES[1][0]);
    const other = { BETTER_AUTH_SECRET: "another secret of at least 32 characters" };
    const signIn = (code: string) =>
      withEnv(other, "/dashboard/api/auth/sign-in/email", { email, password: PASSWORD, code });
    expect((await signIn("050471")).status).toBe(401);
    expect((await signIn(codes[0] ?? "")).status).toBe(200);
  });
});

describe("changing the email address", () => {
  test("requires the password; only the new address signs in", async () => {
    const [email, changed, browser] = [newEmail(), newEmail(), new BrowserSession()];
    const here = await signedUp(email);
    for (const password of ["a wrong guess", undefined]) {
      expect(errorOf(await here.api("PUT", "/account/email", { email: changed, password }))).toEqual(INVALID_PASSWORD);
    }
    const change = (to: string) => here.api("PUT", "/account/email", { email: to, password: PASSWORD });
    expect((await change(changed.toUpperCase())).status).toBe(204);
    expect(await here.account()).toMatchObject({ email: changed });
    expect((await browser.signIn(email)).status).toBe(401);
    expect((await browser.signIn(changed)).status).toBe(200);
  });

  test("is refused for another account's address and for anything that is not one", async () => {
    const [taken, browser] = [newEmail(), await signedUp()];
    await signedUp(taken);
    const { email } = await browser.account();
    for (const wrong of [taken.toUpperCase(), "person", `${"x".repeat(250)}@example.com`, ""]) {
      const reply = await browser.api("PUT", "/account/email", { email: wrong, password: PASSWORD });
      expect(reply).toMatchObject({ status: 422, body: { error: { param: "email" } } });
    }
    expect(await browser.account()).toMatchObject({ email });
  });
});

describe("deleting the account", () => {
  test("two requests at the same time delete it once", async () => {
    const browser = await signedUp();
    const both = [1, 2].map(() => browser.api("DELETE", "/account", { password: PASSWORD }));
    for (const { status } of await Promise.all(both)) expect([204, 401]).toContain(status);
    expect(errorOf(await browser.api("GET", "/account"))).toEqual(MISSING_SESSION);
  });

  test("requires the password", async () => {
    const browser = await signedUp();
    for (const body of [{}, { password: "a wrong guess" }, { password: "" }]) {
      expect(errorOf(await browser.api("DELETE", "/account", body))).toEqual(INVALID_PASSWORD);
    }
    await browser.account();
  });

  test("ends sessions, keys and sign-in immediately; a new account with the same address sees nothing of the old one", async () => {
    const email = newEmail();
    const [here, there] = [await signedUp(email), new BrowserSession()];
    await there.signIn(email);
    const { id } = await here.account();
    const { key } = (await here.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    await here.createLink();
    expect((await here.api("DELETE", "/account", { password: PASSWORD })).status).toBe(204);
    expect(errorOf(await here.api("GET", "/account"))).toEqual(MISSING_SESSION);
    expect(errorOf(await there.api("GET", "/account"))).toEqual(MISSING_SESSION);
    expect((await send("GET", "/v1/links", undefined, { Authorization: `Bearer ${key}` })).status).toBe(401);
    expect((await there.signIn(email)).status).toBe(401);
    const anew = await signUp(email);
    expect((await anew.account()).id).not.toBe(id);
    expect((await anew.api("GET", "/links")).body).toMatchObject({ data: [] });
    expect((await anew.api("GET", "/keys")).body).toEqual({ data: [] });
  });

  test("ends its domains and feeds: the names are available again, their default redirects are gone", async () => {
    const [browser, other] = [await signedUp(), await premiumAccount()];
    const { id } = await browser.account();
    const ann = new TestAccount(
      "",
      id,
      ((await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey).key,
    );
    const domain = await ann.activeDomain();
    await ann.call("PATCH", `/v1/domains/${domain.id}`, { root_url: "https://example.com/root" });
    await env.DB.prepare("INSERT INTO feeds (account_id, mode, since, until) VALUES (?1, 'live', 1, 2)").bind(id).run();
    await browser.api("DELETE", "/account", { password: PASSWORD });
    for (const table of ["domains", "feeds"]) {
      const rows = await env.DB.prepare(`SELECT account_id FROM ${table} WHERE account_id = ?1`).bind(id).all();
      expect(rows.results, table).toEqual([]);
    }
    expect((await visit(`http://${domain.domain}/`)).status).toBe(404);
    await other.activeDomain(domain.domain);
  });

  test("ends its links, visited or not; their slugs are never issued again", async () => {
    const [browser, other] = [await signedUp(), await signedUp()];
    const [visited, unvisited] = [await browser.createLink(), await browser.createLink({}, "test")];
    expect((await visit(visited.short_url)).status).toBe(302);
    await browser.api("DELETE", "/account", { password: PASSWORD });
    expect((await visit(unvisited.short_url)).status).toBe(410);
    freezeClockAt(Date.now() + 10_000);
    expect((await visit(visited.short_url)).status).toBe(410);
    const again = await other.api("POST", "/links", { url: "https://example.com/", slug: visited.slug });
    expect(again.status).toBe(409);
  });

  test("without a password requires a session that is at most a day old", async () => {
    const browser = await signedUp();
    const { id } = await browser.account();
    await env.DB.prepare("DELETE FROM credentials WHERE account_id = ?1").bind(id).run();
    const start = Date.now();
    freezeClockAt(start + 2 * DAY_MS);
    expect(errorOf(await browser.api("DELETE", "/account", {}))).toEqual(INVALID_PASSWORD);
    freezeClockAt(start + DAY_MS / 2);
    expect((await browser.api("DELETE", "/account", {})).status).toBe(204);
  });
});

describe("passkeys", () => {
  test("registration is offered to signed-in browsers, for this host; signing in with a passkey to any", async () => {
    const browser = await signedUp();
    const register = "/dashboard/api/auth/passkey/generate-register-options";
    const options = await browser.call("GET", register);
    expect(options.status).toBe(200);
    expect(options.body).toMatchObject({ rp: { id: "localhost", name: "Hoplink" }, challenge: expect.any(String) });
    expect((await new BrowserSession().call("GET", register)).status).toBe(401);
    const stranger = new BrowserSession();
    const asked = await stranger.call("GET", "/dashboard/api/auth/passkey/generate-authenticate-options");
    expect(asked.body).toMatchObject({ rpId: "localhost", challenge: expect.any(String) });
    const forged = { id: "x", rawId: "x", type: "public-key", clientExtensionResults: {}, response: {} };
    const answer = await stranger.auth("/passkey/verify-authentication", { response: forged });
    expect(answer.status).toBe(401);
    expect(errorOf(await stranger.api("GET", "/account"))).toEqual(MISSING_SESSION);
  });
});
