/** A suspended account: no request acts on its behalf, none of its data is lost, and resuming restores everything. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { KEY_RANDOM_WORDS, newApiKey, parseApiKey, BASE62_ALPHABET } from "../../../src/core/identifiers.ts";
import { resumeAccount, suspendAccount } from "../../../src/store/accounts/accounts.ts";
import { setPassword } from "../../../src/store/auth/passwords.ts";
import worker from "../../../src/worker.ts";
import { BASE_URL, premiumAccount, send, visit } from "../../support/test-accounts.ts";
import { BrowserSession, SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn, PASSWORD } from "../../support/browser-session.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { ACCOUNT_SUSPENDED, INVALID_API_KEY } from "../../support/expected-errors.ts";
import { errorOf } from "../../support/api-response.ts";
import { SoftwareAuthenticator } from "../../support/software-authenticator.ts";
import { openListener } from "../../support/stream-listener.ts";

const AUTH = "/dashboard/api/auth";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends a request to a Worker with other settings. */
async function withEnv(changed: Record<string, string>, url: string, init: RequestInit = {}): Promise<Response> {
  const ctx = createExecutionContext();
  const request = new Request(url, { redirect: "manual", ...init }) as Request<unknown, IncomingRequestCfProperties>;
  const response = await worker.fetch(request, { ...env, ...changed } as Env, ctx);
  await waitOnExecutionContext(ctx);
  return response;
}

test("its keys are refused with their own error code, in both modes, and work again once it is resumed", async () => {
  const ann = await premiumAccount();
  const actors = [ann, await ann.withKey("test")];
  const headers = { "Idempotency-Key": "once" };
  const first = await ann.call("POST", "/v1/links", { url: "https://example.com/" }, headers);
  await suspendAccount(env, ann.accountId);
  for (const actor of actors) expect(errorOf(await actor.call("GET", "/v1/links"))).toEqual(ACCOUNT_SUSPENDED);
  const replayed = await ann.call("POST", "/v1/links", { url: "https://example.com/" }, headers);
  expect(errorOf(replayed)).toEqual(ACCOUNT_SUSPENDED);
  await resumeAccount(env, ann.accountId);
  for (const actor of actors) expect((await actor.call("GET", "/v1/links")).status).toBe(200);
  expect((await ann.call("POST", "/v1/links", { url: "https://example.com/" }, headers)).body).toEqual(first.body);
});

test("a key with a wrong secret does not reveal it", async () => {
  const ann = await premiumAccount();
  await suspendAccount(env, ann.accountId);
  const id = parseApiKey(ann.key)?.id ?? "";
  // The words that the key generator would have drawn for this id, followed by another secret.
  const words = Array.from({ length: KEY_RANDOM_WORDS }, (_, i) => BASE62_ALPHABET.indexOf(id[i] ?? "x") + 0.5);
  const { text } = newApiKey(
    "live",
    Uint32Array.from(words, (word) => (word / BASE62_ALPHABET.length) * 2 ** 32),
  );
  expect(parseApiKey(text)?.id).toBe(id);
  const reply = await send("GET", "/v1/links", undefined, { Authorization: `Bearer ${text}` });
  expect(errorOf(reply)).toEqual(INVALID_API_KEY);
});

test("its sessions are refused with the reason and a contact; once it is resumed, they continue", async () => {
  const ann = await premiumAccount();
  const browser = new BrowserSession();
  await setPassword(env, ann.email, PASSWORD);
  await browser.signIn(ann.email);
  await suspendAccount(env, ann.accountId);
  expect(errorOf(await browser.api("GET", "/account"))).toEqual(ACCOUNT_SUSPENDED);
  expect(errorOf(await browser.api("DELETE", "/account", { password: PASSWORD }))).toEqual(ACCOUNT_SUSPENDED);
  const told = await withEnv({ ABUSE_CONTACT: "abuse@hop.example" }, `${BASE_URL}/v1/links`, {
    headers: { Authorization: `Bearer ${ann.key}` },
  });
  expect(await told.json()).toMatchObject({
    error: { message: "This account is suspended. Contact abuse@hop.example." },
  });
  await resumeAccount(env, ann.accountId);
  expect((await browser.account()).id).toBe(ann.accountId);
});

/** Signs in with GitHub, whose stand-in says that this is the user `githubId`. */
async function signInWithGitHub(githubId: string): Promise<Response> {
  const keys = { GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" };
  const user = { id: githubId, login: "ann", name: "Ann", email: `${githubId}@example.com` };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.includes("access_token")) return Response.json({ access_token: "token", token_type: "bearer" });
    return Response.json(url.endsWith("/emails") ? [{ email: user.email, primary: true, verified: true }] : user);
  });
  const begun = await withEnv(keys, `${BASE_URL}${AUTH}/sign-in/social`, {
    method: "POST",
    headers: { Origin: BASE_URL, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" },
    body: JSON.stringify({ provider: "github", callbackURL: "/dashboard", disableRedirect: true }),
  });
  const { url } = (await begun.json()) as { url: string };
  const state = new URL(url).searchParams.get("state");
  const Cookie = begun.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  return withEnv(keys, `${BASE_URL}${AUTH}/callback/github?code=code&state=${state}`, {
    headers: { Cookie: Cookie.join("; ") },
  });
}

test("a suspended account cannot sign in anywhere, and its sessions can change nothing but end themselves", async () => {
  const ann = await premiumAccount();
  await setPassword(env, ann.email, PASSWORD);
  const [browser, leaving] = [new BrowserSession(), new BrowserSession()];
  for (const session of [browser, leaving]) await session.signIn(ann.email);
  const [key, late] = [await SoftwareAuthenticator.create(), await SoftwareAuthenticator.create()];
  const register = async (by: SoftwareAuthenticator) => {
    const { body } = await browser.call("GET", `${AUTH}/passkey/generate-register-options`);
    return { name: "key", response: await by.register(body as { challenge: string }) };
  };
  const signInWithPasskey = async () => {
    const finder = new BrowserSession();
    const { body } = await finder.call("GET", `${AUTH}/passkey/generate-authenticate-options`);
    return finder.auth("/passkey/verify-authentication", {
      response: await key.authenticate(body as { challenge: string }),
    });
  };
  expect((await browser.auth("/passkey/verify-registration", await register(key))).status).toBe(200);
  const registration = await register(late);
  const githubId = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO credentials (id, account_id, provider, provider_account_id, created_at, updated_at)
     VALUES (?1, ?2, 'github', ?1, ?3, ?3)`,
  )
    .bind(githubId, ann.accountId, new Date().toISOString())
    .run();
  const isSignedIn = ({ headers }: Response) =>
    headers.getSetCookie().some((cookie) => /^hoplink\.session_token=[^;]/.test(cookie));
  expect([(await signInWithPasskey()).status, isSignedIn(await signInWithGitHub(githubId))]).toEqual([200, true]);
  await suspendAccount(env, ann.accountId);
  const refused = { status: 403, body: { code: "ACCOUNT_SUSPENDED", message: "This account is suspended." } };
  expect(await new BrowserSession().signIn(ann.email)).toMatchObject(refused);
  expect(await signInWithPasskey()).toMatchObject(refused);
  const byGitHub = await signInWithGitHub(githubId);
  expect(isSignedIn(byGitHub)).toBe(false);
  expect(byGitHub.headers.get("Location")).toContain("/dashboard/sign-in?error=ACCOUNT_SUSPENDED&");
  expect(await browser.auth("/passkey/verify-registration", registration)).toMatchObject(refused);
  for (const path of ["/get-session", "/list-sessions", "/passkey/generate-register-options"])
    expect(await browser.call("GET", AUTH + path), path).toMatchObject(refused);
  const change = { currentPassword: PASSWORD, newPassword: "another horse battery" };
  expect(await browser.auth("/change-password", change)).toMatchObject(refused);
  expect(await browser.auth("/update-user", { name: "Another name" })).toMatchObject(refused);
  expect((await leaving.auth("/sign-out")).status).toBe(200);

  await resumeAccount(env, ann.accountId);
  expect((await browser.account()).name).not.toBe("Another name");
  expect((await browser.call("GET", `${AUTH}/passkey/list-user-passkeys`)).body).toHaveLength(1);
  expect((await new BrowserSession().signIn(ann.email)).status).toBe(200);
});

test("its open streams end", async () => {
  const ann = await premiumAccount();
  const stream = await openListener(ann);
  await stream.waitUntil(({ lastId }) => lastId !== undefined, "ready");
  await suspendAccount(env, ann.accountId);
  await stream.waitUntil(({ isClosed }) => isClosed, "the end", 15_000);
}, 30_000);

test("default redirects of its domains end within ten seconds, and return once it is resumed", async () => {
  const ann = await premiumAccount();
  const { id, domain } = await ann.activeDomain();
  await ann.call("PATCH", `/v1/domains/${id}`, { root_url: "https://example.com/root" });
  const start = Date.now();
  freezeClockAt(start);
  expect((await visit(`http://${domain}/`)).status).toBe(302);
  await suspendAccount(env, ann.accountId);
  freezeClockAt(start + 10_000);
  expect((await visit(`http://${domain}/`)).status).toBe(404);
  await resumeAccount(env, ann.accountId);
  freezeClockAt(start + 20_000);
  expect((await visit(`http://${domain}/`)).status).toBe(302);
});

test("a nonexistent account cannot be suspended; a closed one can be neither suspended nor resumed", async () => {
  const stateOf = (id: string) =>
    env.DB.prepare("SELECT state FROM account_states WHERE account_id = ?1").bind(id).first("state");
  expect(await suspendAccount(env, "acc_none")).toBe(false);
  expect(await stateOf("acc_none")).toBeNull();
  const ann = await premiumAccount();
  await env.DB.prepare("INSERT INTO account_states (account_id, state, since) VALUES (?1, 'closed', 1)")
    .bind(ann.accountId)
    .run();
  await suspendAccount(env, ann.accountId);
  await resumeAccount(env, ann.accountId);
  expect(await stateOf(ann.accountId)).toBe("closed");
});

describe("the abuse contact", () => {
  const contact = { ABUSE_CONTACT: "https://hop.example/abuse?a=<b>&c='d'\"" };

  test("is on the 404 and 410 pages, escaped", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await suspendAccount(env, ann.accountId);
    for (const [url, status] of [
      [`${BASE_URL}/nothing-${crypto.randomUUID()}`, 404],
      [link.short_url, 410],
    ] as const) {
      const response = await withEnv(contact, url);
      expect(response.status).toBe(status);
      const html = await response.text();
      expect(html).toContain('href="https://hop.example/abuse?a=%3Cb%3E&#38;c=%27d%27%22"');
      expect(html).toContain(">https://hop.example/abuse?a=&#60;b&#62;&#38;c=&#39;d&#39;&#34;</a>");
      expect(await (await withEnv({}, url)).text()).not.toContain("abuse");
    }
  });
});
