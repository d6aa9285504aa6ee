/**
 * The dashboard's operator page: the state of the deployment, its accounts and links. For operator accounts only; other accounts get the 404 of
 * an unknown route.
 */
import type { Context, MiddlewareHandler } from "hono";

import {
  AccountSearch,
  ChangeAccount,
  CreateReset,
  DisableLink,
  type ManagedAccountList,
  MetricsQuery,
  type OperatorMetrics,
  type OperatorOverview,
  type ResetLink,
} from "../../core/contract/operator.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { parseShortUrl } from "../../core/links/link-search.ts";
import { METRIC_PERIODS } from "../../core/metrics/metrics.ts";
import { RELEASE } from "../../core/release.ts";
import { type Account, changePlan, findAccount, resumeAccount, suspendAccount } from "../../store/accounts/accounts.ts";
import { setLinkDisabled } from "../../store/links/operator-links.ts";
import { readMetrics, wakeMaintenance } from "../../store/maintenance-client.ts";
import { readOverview, searchAccounts } from "../../store/operators/overview.ts";
import { withTimeout } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, pathParam, query } from "../middleware/input.ts";
import { requirePassword } from "./account.ts";

const METRICS_TIMEOUT_MS = 5_000;

/** Runs after `access`. Responds like an unknown route. */
const operatorOnly: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!c.var.account.isOperator) throw new ApiError("not_found", "This route does not exist. Check the path.");
  await next();
};

export const getOverviewRoute = createHandlers(access(null), operatorOnly, noQuery, async (c) => {
  const signups = c.env.SIGNUPS === "open" ? "open" : "closed";
  const overview: OperatorOverview = { release: RELEASE, signups, ...(await readOverview(c.env, Date.now())) };
  return respondJson(c, { status: 200, body: overview });
});

export const getMetricsRoute = createHandlers(access(null), operatorOnly, query(MetricsQuery), async (c) => {
  const { period } = c.req.valid("query");
  const from = Date.now() - METRIC_PERIODS[period];
  const metrics: OperatorMetrics = { period, counts: await withTimeout(METRICS_TIMEOUT_MS, readMetrics(c.env, from)) };
  return respondJson(c, { status: 200, body: metrics });
});

/** Actions of the operator's command, by the same functions. */

export const searchAccountsRoute = createHandlers(access(null), operatorOnly, query(AccountSearch), async (c) => {
  const list: ManagedAccountList = await searchAccounts(c.env, c.req.valid("query"));
  return respondJson(c, { status: 200, body: list });
});

export const changeAccountRoute = createHandlers(access(null), operatorOnly, body(ChangeAccount), async (c) => {
  const { id, email } = await requireAccount(c);
  const { plan, suspended } = c.req.valid("json");
  if (suspended && id === c.var.account.id) {
    throw validationFailed([
      { path: "suspended", code: "invalid_value", message: "You cannot suspend your own account" },
    ]);
  }
  if (plan) await changePlan(c.env, email, plan);
  if (suspended !== undefined) await (suspended ? suspendAccount : resumeAccount)(c.env, id);
  logAction(c, { account: id, plan, suspended });
  return c.body(null, 204);
});

export const createResetRoute = createHandlers(access(null), operatorOnly, body(CreateReset), async (c) => {
  const { kind, password } = c.req.valid("json");
  await requirePassword(c, password);
  const { id } = await requireAccount(c);
  const { issueReset } = await import("../../store/auth/passwords.ts");
  const link: ResetLink = await issueReset(c.env, c.var.hosts.baseUrl, { kind, accountId: id });
  logAction(c, { account: id, reset: kind });
  return respondJson(c, { status: 201, body: link });
});

export const disableLinkRoute = createHandlers(access(null), operatorOnly, body(DisableLink), async (c) => {
  const { short_url, disabled } = c.req.valid("json");
  const address = parseShortUrl(short_url);
  const id = address && (await setLinkDisabled(c.env, address.domain, address.slug, disabled));
  if (!id) throw new ApiError("link_not_found", "No link has this short URL.");
  c.executionCtx.waitUntil(wakeMaintenance(c.env, Date.now()));
  logAction(c, { link: id, disabled });
  return c.body(null, 204);
});

/** @throws ApiError not_found */
async function requireAccount(c: Context<ApiEnv>): Promise<Account> {
  const account = await findAccount(c.env, pathParam(c, "id"));
  if (!account) throw new ApiError("not_found", "No account has this ID.");
  return account;
}

function logAction(c: Context<ApiEnv>, action: Record<string, unknown>): void {
  console.info("operator action", { operator: c.var.account.id, ...action });
}
