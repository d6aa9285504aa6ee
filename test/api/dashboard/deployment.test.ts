/** The data of the operator's page, which no other account receives. */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { AccountInfo } from "../../../src/core/contract/dashboard.ts";
import {
  ManagedAccountList,
  OperatorMetrics,
  OperatorOverview,
  ResetLink,
} from "../../../src/core/contract/operator.ts";
import { METRIC_NAMES } from "../../../src/core/metrics/metrics.ts";
import { setOperator } from "../../../src/store/accounts/accounts.ts";
import { setPassword } from "../../../src/store/auth/passwords.ts";
import { removeTotp } from "../../../src/store/auth/totp.ts";
import {
  BrowserSession,
  newEmail,
  PASSWORD,
  preloadSignIn,
  SIGN_IN_LOAD_TIMEOUT_MS,
  signedUp,
} from "../../support/browser-session.ts";
import { errorOf } from "../../support/api-response.ts";
import { INVALID_PASSWORD } from "../../support/expected-errors.ts";
import { type ChangedEnv, fetchWith } from "../../support/changed-env.ts";
import { freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const PATHS = ["/deployment", "/deployment/metrics", "/deployment/metrics?period=week"];

async function signedInOperator(): Promise<BrowserSession> {
  const email = newEmail();
  const browser = await signedUp(email);
  await setOperator(env, email, true);
  return browser;
}

test.each(PATHS)("%s does not exist for any other account, nor for API keys", async (path) => {
  const browser = await signedUp();
  const unknown = await browser.api("GET", "/no-such-route");
  const refused = await browser.api("GET", path);
  const { request_id: _, ...error } = (refused.body as { error: Record<string, unknown> }).error;
  expect([refused.status, { error }]).toEqual([404, { error: expect.objectContaining({ code: "not_found" }) }]);
  expect(unknown.body).toEqual({ error: { ...error, request_id: expect.any(String) } });
  expect(await new BrowserSession().api("GET", path)).toMatchObject({ status: 401 });
  expect(await (await premiumAccount()).call("GET", `/dashboard/api${path}`)).toMatchObject({ status: 401 });
  expect(await (await premiumAccount()).call("GET", `/v1${path}`)).toMatchObject({ status: 404 });
});

test("a former operator sees nothing from the next request on", async () => {
  const email = newEmail();
  const browser = await signedUp(email);
  await setOperator(env, email, true);
  expect(await browser.api("GET", "/deployment")).toMatchObject({ status: 200 });
  expect(await browser.account()).toMatchObject({ is_operator: true });
  await setOperator(env, email, false);
  expect(await browser.api("GET", "/deployment")).toMatchObject({ status: 404 });
  expect(await browser.account()).toMatchObject({ is_operator: false });
});

test.each<[string, ChangedEnv, string[]]>([
  ["nothing is missing", {}, []],
  ["links are on workers.dev", { SHORT_DOMAIN: "hop.ann.workers.dev" }, ["short_domain"]],
  ["there is no bucket", { QR_IMAGES: undefined }, ["bucket"]],
  ["both", { SHORT_DOMAIN: "hop.ann.workers.dev", QR_IMAGES: undefined }, ["short_domain", "bucket"]],
])("only operators are told which parts the deployment lacks: %s", async (_, changed, missing) => {
  const partsFor = async ({ cookies }: BrowserSession) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetchWith(changed, "/dashboard/api/account", { headers: { Cookie } });
    expect(response.status).toBe(200);
    return AccountInfo.parse(await response.json()).missing_parts;
  };
  expect(await partsFor(await signedInOperator())).toEqual(missing);
  expect(await partsFor(await signedUp())).toBeUndefined();
});

test("the overview has the release, sign-ups, newest accounts first, and pending work", async () => {
  const browser = await signedInOperator();
  const older = await freeAccount();
  const newer = await premiumAccount();
  await env.DB.prepare(
    "INSERT INTO link_outbox VALUES ('acc_due', 'live', 'lnk_due', 1, ?1, 3), ('acc_due', 'live', 'lnk_later', 1, ?2, 0)",
  )
    .bind(Date.now() - 1, Date.now() + 86_400_000)
    .run();
  const { status, body } = await browser.api("GET", "/deployment");
  expect(status).toBe(200);
  const overview = OperatorOverview.parse(body);
  expect(overview).toMatchObject({ release: expect.stringMatching(/^\d+\.\d+\.\d+$/), signups: "open" });
  expect(overview.accounts.count).toBe(await env.DB.prepare("SELECT count(*) AS n FROM accounts").first("n"));
  expect(overview.accounts.is_more).toBe(false);
  expect(overview.accounts.newest.slice(0, 2).map(({ email, plan }) => ({ email, plan }))).toEqual([
    { email: newer.email, plan: "premium" },
    { email: older.email, plan: "free" },
  ]);
  expect(overview.outbox.count).toBeGreaterThanOrEqual(1);
  await env.DB.prepare("DELETE FROM link_outbox WHERE link_id = 'lnk_due'").run();
  expect(await browser.api("GET", "/deployment")).toMatchObject({
    body: { outbox: { count: overview.outbox.count - 1 } },
  });
});

test.each([
  ["", "hour"],
  ["?period=hour", "hour"],
  ["?period=day", "day"],
  ["?period=week", "week"],
])("metrics%s cover the last %s", async (query, period) => {
  const { status, body } = await (await signedInOperator()).api("GET", `/deployment/metrics${query}`);
  expect(status).toBe(200);
  const metrics = OperatorMetrics.parse(body);
  expect([metrics.period, Object.keys(metrics.counts)]).toEqual([period, METRIC_NAMES]);
});

test.each(["?period=year", "?period=hour&period=day", "?zone=UTC"])("metrics%s are refused", async (query) => {
  expect(await (await signedInOperator()).api("GET", `/deployment/metrics${query}`)).toMatchObject({ status: 422 });
});

describe("an operator's actions", () => {
  let log = vi.spyOn(console, "info");
  beforeEach(() => {
    log = vi.spyOn(console, "info").mockReturnValue();
  });
  afterAll(() => log.mockRestore());

  const ACTIONS = [
    ["GET", "/deployment/accounts?search=a", undefined],
    ["PATCH", "/deployment/accounts/:id", { plan: "premium" }],
    ["POST", "/deployment/accounts/:id/reset", { kind: "password", password: PASSWORD }],
    ["PATCH", "/deployment/links", { short_url: "localhost/x", disabled: true }],
  ] as const;

  test.each(ACTIONS)("%s %s does not exist for any other account", async (method, path, body) => {
    const browser = await signedUp();
    const { id } = await browser.account();
    expect(await browser.api(method, path.replace(":id", id), body)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: "This route does not exist. Check the path." } },
    });
    expect(await browser.account()).toMatchObject({ plan: "free" });
  });

  test("find accounts by the beginning of an email address or by ID", async () => {
    const operator = await signedInOperator();
    const [ann, email] = [await premiumAccount(), newEmail()];
    const { id, created_at } = await (await signedUp(email)).account();
    const found = async (search: string) => {
      const { body } = await operator.api("GET", `/deployment/accounts?search=${encodeURIComponent(search)}`);
      return ManagedAccountList.parse(body).data;
    };
    const account = { id, email, plan: "free", is_operator: false, has_totp: false, created_at, suspended_at: null };
    expect(await found(email.slice(0, 30).toUpperCase())).toEqual([account]);
    expect(await found(id)).toEqual([account]);
    expect(await found(ann.accountId)).toMatchObject([{ email: ann.email, plan: "premium" }]);
    for (const none of ["%", "acc_none", `${email}x`, email.slice(1)]) expect(await found(none)).toEqual([]);
    expect(await operator.api("GET", "/deployment/accounts")).toMatchObject({ status: 422 });
  });

  test("change plans and suspend accounts, but not their own; each action is logged", async () => {
    const [operator, browser] = [await signedInOperator(), await signedUp()];
    const [own, { id }] = [await operator.account(), await browser.account()];
    const change = async (account: string, body: object) =>
      (await operator.api("PATCH", `/deployment/accounts/${account}`, body)).status;
    expect(await change(id, { plan: "premium" })).toBe(204);
    expect(await browser.account()).toMatchObject({ plan: "premium" });
    expect(await change(id, { suspended: true })).toBe(204);
    expect(await browser.api("GET", "/account")).toMatchObject({ status: 403 });
    expect(await change(id, { suspended: false })).toBe(204);
    expect(await browser.account()).toMatchObject({ id });
    expect(await change(own.id, { suspended: true })).toBe(422);
    expect(await change("acc_none", { suspended: true })).toBe(404);
    expect(await change(id, { plan: "gold" })).toBe(422);
    expect(log.mock.calls).toEqual([
      ["operator action", { operator: own.id, account: id, plan: "premium" }],
      ["operator action", { operator: own.id, account: id, suspended: true }],
      ["operator action", { operator: own.id, account: id, suspended: false }],
    ]);
  });

  test("disable a link of any account, by its short URL", async () => {
    const [operator, ann] = [await signedInOperator(), await premiumAccount()];
    const link = await ann.createLink();
    const set = async (short_url: string, disabled: boolean) =>
      (await operator.api("PATCH", "/deployment/links", { short_url, disabled })).status;
    expect(await set(link.short_url, true)).toBe(204);
    expect((await visit(link.short_url)).status).toBe(410);
    expect(await set(link.short_url.replace(/^https?:../, ""), false)).toBe(204);
    for (const unknown of ["", "nothing", `${link.short_url}-unknown`]) expect(await set(unknown, true)).toBe(404);
  });

  test("create one-time links: a password link sets it, ends sessions, and works for one request, until the next change", async () => {
    const [operator, email] = [await signedInOperator(), newEmail()];
    const browser = await signedUp(email);
    const { id } = await browser.account();
    const create = (body: object) => operator.api("POST", `/deployment/accounts/${id}/reset`, body);
    expect(errorOf(await create({ kind: "password", password: "a wrong guess" }))).toEqual(INVALID_PASSWORD);
    expect(await create({ kind: "plan", password: PASSWORD })).toMatchObject({ status: 422 });
    const tokenOf = async () => {
      const { body } = await create({ kind: "password", password: PASSWORD });
      return ResetLink.parse(body).url.split("/dashboard/reset#token=")[1] ?? "";
    };
    const [earlier, token] = [await tokenOf(), await tokenOf()];
    const { results } = await env.DB.prepare("SELECT hex(token_hash) AS hash, * FROM operator_tokens").all();
    expect(JSON.stringify(results)).not.toContain(token);
    const stranger = new BrowserSession();
    for (const invalid of [earlier, "", "opr_unknown"]) {
      expect(await stranger.api("POST", "/reset/check", { token: invalid })).toMatchObject({ status: 403 });
    }
    expect(await stranger.api("POST", "/reset/check", { token })).toMatchObject({
      status: 200,
      body: { kind: "password", email },
    });
    expect(await stranger.api("POST", "/setup/check", { token })).not.toMatchObject({ status: 204 });
    expect(await stranger.api("POST", "/reset", { token })).toMatchObject({ status: 422 });
    expect(await stranger.api("POST", "/reset", { token, password: "short" })).toMatchObject({ status: 422 });
    expect((await browser.account()).id).toBe(id);
    const passwords = ["first new password", "second new password"];
    const both = await Promise.all(passwords.map((password) => stranger.api("POST", "/reset", { token, password })));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 403]);
    expect(await browser.api("GET", "/account")).toMatchObject({ status: 401 });
    const right = passwords[both.findIndex(({ status }) => status === 204)];
    expect((await stranger.signIn(email, PASSWORD)).status).toBe(401);
    expect((await stranger.signIn(email, right)).status).toBe(200);
    const [unused, changed] = [await tokenOf(), "a password of my own"];
    const change = { currentPassword: right, newPassword: changed, revokeOtherSessions: true };
    expect((await stranger.auth("/change-password", change)).status).toBe(200);
    expect(await new BrowserSession().api("POST", "/reset", { token: unused, password: PASSWORD })).toMatchObject({
      status: 403,
    });
    expect((await stranger.signIn(email, changed)).status).toBe(200);
    const another = await tokenOf();
    expect(await setPassword(env, email, PASSWORD)).toBe(id);
    expect(await stranger.api("POST", "/reset/check", { token: another })).toMatchObject({ status: 403 });
  });

  test("an authenticator link removes the app and nothing else, until the next change; no link works after a day or a closed account", async () => {
    const [operator, email] = [await signedInOperator(), newEmail()];
    const browser = await signedUp(email);
    const { id } = await browser.account();
    const add = () => env.DB.prepare("INSERT INTO totp_factors VALUES (?1, '', 0, '[]', 0)").bind(id).run();
    await add();
    const tokenOf = async () => {
      const { body } = await operator.api("POST", `/deployment/accounts/${id}/reset`, {
        kind: "totp",
        password: PASSWORD,
      });
      return ResetLink.parse(body).url.split("=")[1] ?? "";
    };
    const stranger = new BrowserSession();
    const use = async (token: string) =>
      (await stranger.api("POST", "/reset", { token, password: "another password" })).status;
    const late = await tokenOf();
    await env.DB.prepare("UPDATE operator_tokens SET expires_at = ?1 WHERE account_id = ?2").bind(Date.now(), id).run();
    expect(await use(late)).toBe(403);
    expect(await use(await tokenOf())).toBe(204);
    expect(await browser.api("GET", "/account")).toMatchObject({ status: 401 });
    expect((await stranger.signIn(email, PASSWORD)).status).toBe(200);
    const beforeAdded = await tokenOf();
    await add();
    expect(await use(beforeAdded)).toBe(403);
    const beforeRemoved = await tokenOf();
    await removeTotp(env, id);
    await add();
    expect(await use(beforeRemoved)).toBe(403);
    await removeTotp(env, id);
    const last = await tokenOf();
    await stranger.api("DELETE", "/account", { password: PASSWORD });
    expect(await use(last)).toBe(403);
  });
});
