/** Sign-in against password guessing, browsers left signed in, and input that no person types. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { createAccount } from "../../../src/store/accounts/accounts.ts";
import { setPassword } from "../../../src/store/auth/passwords.ts";
import worker from "../../../src/worker.ts";
import { BASE_URL, newAccount } from "../../support/test-accounts.ts";
import { SoftwareAuthenticator } from "../../support/software-authenticator.ts";
import {
  BrowserSession,
  SIGN_IN_LOAD_TIMEOUT_MS,
  preloadSignIn,
  newEmail,
  PASSWORD,
  signedUp,
  signUp,
} from "../../support/browser-session.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { spend, withinRateLimitWindow } from "../../support/rate-limit-window.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const DEVICE_COOKIE = "hoplink.device";
const DAY_MS = 86_400_000;
/** Per account and minute. */
const TRIES = 20;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Sends wrong passwords, each from its own IP address. @returns the status of each */
async function guess(email: string, tries: number, cookie?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < tries; i++) {
    const stranger = new BrowserSession();
    if (cookie !== undefined) stranger.cookies.set(DEVICE_COOKIE, cookie);
    statuses.push((await stranger.signIn(email, "a wrong guess")).status);
  }
  return statuses;
}

describe("strangers who guess a password", () => {
  test("do not lock out a browser in which the holder has signed in before; a new browser has to wait", async () => {
    const [guessed, known, elsewhere] = await withinRateLimitWindow(async () => {
      const email = newEmail();
      const holder = await signUp(email);
      await holder.auth("/sign-out");
      await spend(env.SIGN_IN, `email:${email}`, TRIES - 1);
      const guesses = await guess(email, 2);
      return [guesses, (await holder.signIn(email)).status, (await new BrowserSession().signIn(email)).status];
    });
    expect([guessed, known, elsewhere]).toEqual([[401, 429], 200, 429]);
  });

  test("get no more tries with the browser of another account, a forged one, or one that is a year old", async () => {
    const statuses = await withinRateLimitWindow(async () => {
      const email = newEmail();
      freezeClockAt(Date.now() - 366 * DAY_MS);
      const old = (await signUp(email)).cookies.get(DEVICE_COOKIE) ?? "";
      vi.useRealTimers();
      const own = (await signUp()).cookies.get(DEVICE_COOKIE) ?? "";
      await spend(env.SIGN_IN, `email:${email}`, TRIES - 1);
      expect(await guess(email, 1)).toEqual([401]);
      const made = old.replace(/^./, (first) => (first === "0" ? "1" : "0"));
      return [await guess(email, 1, own), await guess(email, 1, made), await guess(email, 1, old)].flat();
    });
    expect(statuses).toEqual([429, 429, 429]);
  });

  test("get no more tries with a browser of the account that had the address before", async () => {
    const statuses = await withinRateLimitWindow(async () => {
      const email = newEmail();
      const squatter = await signUp(email);
      const known = squatter.cookies.get(DEVICE_COOKIE);
      const moved = await squatter.api("PUT", "/account/email", { email: newEmail(), password: PASSWORD });
      expect(moved.status).toBe(204);
      await signUp(email);
      await spend(env.SIGN_IN, `email:${email}`, TRIES - 1);
      return guess(email, 2, known);
    });
    expect(statuses).toEqual([401, 429]);
  });

  test("get no further browsers of the account from its session", async () => {
    const holder = await signUp();
    const known = holder.cookies.get(DEVICE_COOKIE);
    expect((await holder.auth("/update-user", { name: "Someone" })).status).toBe(200);
    expect(holder.cookies.get(DEVICE_COOKIE)).toBe(known);
  });

  test("with the holder's own browser have 20 tries a minute, which count against no other browser", async () => {
    const [tries, other] = await withinRateLimitWindow(async () => {
      const email = newEmail();
      const stolen = (await signUp(email)).cookies.get(DEVICE_COOKIE) ?? "";
      await spend(env.SIGN_IN, `device:${decodeURIComponent(stolen).split(".")[0]}`, TRIES - 1);
      return [await guess(email, 2, stolen), await new BrowserSession().signIn(email)];
    });
    expect(tries).toEqual([401, 429]);
    expect(other.status).toBe(200);
  });

  test("cannot use up the tries for an account's password changes by its id", async () => {
    const [guessed, changed] = await withinRateLimitWindow(async () => {
      const holder = await signedUp();
      const { id } = await holder.account();
      await spend(env.SIGN_IN, `email:${id}`, TRIES - 1);
      const guesses = await guess(id, 2);
      const change = { currentPassword: PASSWORD, newPassword: "another horse battery" };
      return [guesses, (await holder.auth("/change-password", change)).status];
    });
    expect([guessed, changed]).toEqual([[400, 429], 200]);
  });

  test("learn nothing from the cookie: it grants no access and identifies no account", async () => {
    const email = newEmail();
    const holder = await signUp(email);
    const { id } = await holder.account();
    const thief = new BrowserSession();
    const cookie = holder.cookies.get(DEVICE_COOKIE) ?? "";
    thief.cookies.set(DEVICE_COOKIE, cookie);
    expect((await thief.api("GET", "/account")).status).toBe(401);
    expect(decodeURIComponent(cookie)).not.toContain(email);
    expect(decodeURIComponent(cookie)).not.toContain(id);
  });
});

describe("passkeys without user verification", () => {
  const REGISTER = "/dashboard/api/auth/passkey/generate-register-options";
  const AUTHENTICATE = "/dashboard/api/auth/passkey/generate-authenticate-options";
  const NOT_VERIFIED = { status: 401, body: { code: "USER_NOT_VERIFIED" } };

  async function optionsOf(browser: BrowserSession, path: string): Promise<{ challenge: string }> {
    return (await browser.call("GET", path)).body as { challenge: string };
  }

  /** Sets the sessions' start to six minutes ago. */
  async function agedSessions(browser: BrowserSession): Promise<void> {
    const { id } = await browser.account();
    const begun = new Date(Date.now() - 6 * 60_000).toISOString();
    await env.DB.prepare("UPDATE sessions SET created_at = ?2 WHERE account_id = ?1").bind(id, begun).run();
  }

  async function register(browser: BrowserSession, key: SoftwareAuthenticator) {
    const response = await key.register(await optionsOf(browser, REGISTER));
    return browser.auth("/passkey/verify-registration", { response, name: "key" });
  }

  async function signIn(browser: BrowserSession, key: SoftwareAuthenticator) {
    const response = await key.authenticate(await optionsOf(browser, AUTHENTICATE));
    return browser.auth("/passkey/verify-authentication", { response });
  }

  test("are not requested", async () => {
    const browser = await signedUp();
    expect(await optionsOf(browser, REGISTER)).toMatchObject({
      authenticatorSelection: { userVerification: "required" },
    });
    expect(await optionsOf(browser, AUTHENTICATE)).toMatchObject({ userVerification: "required" });
  });

  test("are not registered", async () => {
    const browser = await signedUp();
    const key = await SoftwareAuthenticator.create();
    key.verifiesUser = false;
    expect(await register(browser, key)).toMatchObject(NOT_VERIFIED);
    key.verifiesUser = true;
    expect(await register(browser, key)).toMatchObject({ status: 200 });
  });

  test.each([
    ["a very long name", { name: "x".repeat(200_000) }, {}],
    ["a name that is not a string", { name: { length: 1 } }, {}],
    ["transports that are not a list", {}, { transports: "usb" }],
    ["too many transports", {}, { transports: Array(1_000).fill("usb") }],
    ["a long transport", {}, { transports: ["x".repeat(1_000)] }],
  ])("are not stored with %s", async (_, named, made) => {
    const browser = await signedUp();
    const key = await SoftwareAuthenticator.create();
    const registration = await key.register(await optionsOf(browser, REGISTER));
    const response = { ...registration, response: { ...registration.response, ...made } };
    const reply = await browser.auth("/passkey/verify-registration", { name: "key", ...named, response });
    expect(reply.status).toBe(400);
    expect((await browser.call("GET", "/dashboard/api/auth/passkey/list-user-passkeys")).body).toEqual([]);
  });

  test("added late in a browser left signed in cannot be used to sign in", async () => {
    const [owner, finder] = [await signedUp(), new BrowserSession()];
    const key = await SoftwareAuthenticator.create();
    const asked = await optionsOf(owner, REGISTER);
    await agedSessions(owner);
    expect(await owner.call("GET", REGISTER)).toMatchObject({ status: 403, body: { code: "SESSION_NOT_FRESH" } });
    const late = { response: await key.register(asked), name: "key" };
    expect((await owner.auth("/passkey/verify-registration", late)).status).toBe(403);
    expect((await signIn(finder, key)).status).toBe(401);
    expect((await owner.api("GET", "/links")).status).toBe(200);
    expect((await owner.auth("/link-social", { provider: "github" })).status).toBe(404);
    // What the account's settings show needs no new sign-in.
    for (const list of ["list-sessions", "list-accounts", "passkey/list-user-passkeys"]) {
      expect((await owner.call("GET", `/dashboard/api/auth/${list}`)).status, list).toBe(200);
    }
  });

  test.each([
    ["are removed with the password", {}, 401],
    ["are removed with it if any value but true is sent", { keepPasskeys: "true" }, 401],
    ["are kept if their holder chooses so", { keepPasskeys: true }, 200],
  ])("%s", async (_, kept, status) => {
    const browser = await signedUp();
    const key = await SoftwareAuthenticator.create();
    await register(browser, key);
    const wrong = { currentPassword: "not the password", newPassword: "another horse battery" };
    await browser.auth("/change-password", wrong);
    expect((await signIn(new BrowserSession(), key)).status).toBe(200);
    expect((await browser.auth("/change-password", { ...wrong, currentPassword: PASSWORD, ...kept })).status).toBe(200);
    expect((await signIn(new BrowserSession(), key)).status).toBe(status);
  });

  test("need no code of an authenticator app", async () => {
    const email = newEmail();
    const browser = await signedUp(email);
    const key = await SoftwareAuthenticator.create();
    await register(browser, key);
    const sql = "INSERT INTO totp_factors VALUES (?1, '', 0, '[]', 0)";
    await env.DB.prepare(sql)
      .bind((await browser.account()).id)
      .run();
    expect(await new BrowserSession().signIn(email)).toMatchObject({ status: 401, body: { code: "CODE_REQUIRED" } });
    expect((await signIn(new BrowserSession(), key)).status).toBe(200);
  });

  test("are removed when an operator sets the password", async () => {
    const email = newEmail();
    const browser = await signedUp(email);
    const key = await SoftwareAuthenticator.create();
    await register(browser, key);
    await setPassword(env, email, "given by the operator");
    expect((await signIn(new BrowserSession(), key)).status).toBe(401);
  });

  test.each([{}, [[]], "x", null, { id: "a" }, { id: "a", rawId: "a", type: "public-key", response: {} }])(
    "are not created from %j",
    async (response) => {
      const browser = await signedUp();
      await optionsOf(browser, REGISTER);
      const reply = await browser.auth("/passkey/verify-registration", { response, name: "key" });
      expect(reply).toMatchObject({ status: 400, body: { code: "FAILED_TO_VERIFY_REGISTRATION" } });
    },
  );

  test.each([
    ["self-signed", 200],
    ["with a certificate", 400],
  ] as const)("are created without attestation: one that is %s gets %i", async (attestation, status) => {
    const browser = await signedUp();
    const key = await SoftwareAuthenticator.create();
    const response = await key.register(await optionsOf(browser, REGISTER), attestation);
    const reply = await browser.auth("/passkey/verify-registration", { response, name: "key" });
    expect(reply.status).toBe(status);
    expect((await signIn(new BrowserSession(), key)).status).toBe(status === 200 ? 200 : 401);
  });

  test("are not accepted with another signature, in DER or not", async () => {
    const browser = await signedUp();
    const key = await SoftwareAuthenticator.create();
    await register(browser, key);
    const statuses: Record<string, number> = { MAYCAQECAQE: 401 };
    for (const notDer of ["", "AA", "MAcCAQECAQECAQE", "MIGIAgEBAgEB", "MAYCAQECBQE", "MAUCAAIBAQ"])
      statuses[notDer] = 400;
    for (const [signature, status] of Object.entries(statuses)) {
      const response = await key.authenticate(await optionsOf(browser, AUTHENTICATE));
      const forged = { ...response, response: { ...response.response, signature } };
      expect((await browser.auth("/passkey/verify-authentication", { response: forged })).status).toBe(status);
    }
  });

  test("are not accepted for signing in", async () => {
    const browser = await signedUp();
    const { id } = await browser.account();
    const key = await SoftwareAuthenticator.create();
    await register(browser, key);
    const finder = new BrowserSession();
    key.verifiesUser = false;
    expect(await signIn(finder, key)).toMatchObject(NOT_VERIFIED);
    expect((await finder.api("GET", "/account")).status).toBe(401);
    key.verifiesUser = true;
    expect((await signIn(finder, key)).status).toBe(200);
    expect((await finder.account()).id).toBe(id);
  });
});

describe("input that no person types", () => {
  const LONG = `${"x".repeat(243)}@example.com`;

  test("sign-up and sign-in accept an email address of 254 characters, but not one more", async () => {
    const address = `${crypto.randomUUID().padEnd(242, "x")}@example.com`;
    expect(address.length).toBe(254);
    await createAccount(env, address, "free");
    const signUp = (email: string) =>
      new BrowserSession().auth("/sign-up/email", { name: "", email, password: PASSWORD }).then(({ status }) => status);
    expect(await signUp(address)).toBe(422);
    expect(await signUp(LONG)).toBe(400);
    expect((await new BrowserSession().signIn(LONG)).status).toBe(400);
    expect(await env.DB.prepare("SELECT id FROM accounts WHERE email = ?1").bind(LONG).first()).toBeNull();
  });

  test.each([" ".repeat(12), "\t\n\u00a0\u2003 \u3000 \ufeff   "])("the password %j is refused", async (password) => {
    const email = newEmail();
    const refused = await new BrowserSession().auth("/sign-up/email", { name: "", email, password });
    expect(refused).toMatchObject({ status: 400, body: { code: "PASSWORD_BLANK" } });
    const browser = await signedUp(email);
    const change = { currentPassword: PASSWORD, newPassword: password };
    expect(await browser.auth("/change-password", change)).toMatchObject({
      status: 400,
      body: { code: "PASSWORD_BLANK" },
    });
    expect((await new BrowserSession().signIn(email)).status).toBe(200);
  });
});

describe("a deployment whose BETTER_AUTH_SECRET can be guessed", () => {
  async function withSecret(secret: string | undefined, path: string): Promise<Response> {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ctx = createExecutionContext();
    const request = new Request(BASE_URL + path, { redirect: "manual" }) as Request<
      unknown,
      IncomingRequestCfProperties
    >;
    const { BETTER_AUTH_SECRET, ...settings } = env;
    void BETTER_AUTH_SECRET;
    const changed = secret === undefined ? settings : { ...settings, BETTER_AUTH_SECRET: secret };
    const response = await worker.fetch(request, changed as Env, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  }

  const DOORS = ["/v1/links", "/dashboard", "/dashboard/api/config", "/dashboard/api/auth/get-session", "/health", "/"];

  test.each(DOORS)("answers %s with the problem", async (path) => {
    for (const [secret, fault] of [
      [undefined, "is not set"],
      ["x".repeat(31), "has fewer than 32 characters"],
    ] as const) {
      const response = await withSecret(secret, path);
      expect(response.status).toBe(503);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe("misconfigured");
      expect(error.message).toContain(`BETTER_AUTH_SECRET ${fault}`);
    }
    expect((await withSecret("x".repeat(32), path)).status).not.toBe(503);
  });

  test("still redirects", async () => {
    const { short_url } = await (await newAccount("free")).createLink();
    expect((await withSecret(undefined, new URL(short_url).pathname)).status).toBe(302);
  });
});

describe("paths made up by strangers", () => {
  const tries = async () => env.DB.prepare("SELECT count(*) AS n FROM attempts").first<number>("n");

  test.each(["/", "/nothing", "/sign-in/email/x", "/callback/unknown", "/callback/:id", "/reset-password/token"])(
    "%s is not found and leaves no row in the database",
    async (path) => {
      const before = await tries();
      const { status } = await new BrowserSession().auth(path, {});
      expect(status).toBe(404);
      expect(await tries()).toBe(before);
    },
  );
});
