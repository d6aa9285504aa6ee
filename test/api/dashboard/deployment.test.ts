/** The data of the operator's page, which no other account receives. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { AccountInfo } from "../../../src/core/contract/dashboard.ts";
import { OperatorMetrics, OperatorOverview } from "../../../src/core/contract/operator.ts";
import { METRIC_NAMES } from "../../../src/core/metrics/metrics.ts";
import { setOperator } from "../../../src/store/accounts/accounts.ts";
import {
  BrowserSession,
  newEmail,
  preloadSignIn,
  SIGN_IN_LOAD_TIMEOUT_MS,
  signedUp,
} from "../../support/browser-session.ts";
import { type ChangedEnv, fetchWith } from "../../support/changed-env.ts";
import { freeAccount, premiumAccount } from "../../support/test-accounts.ts";

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
