/**
 * The dashboard's operator page: the state of the deployment. For operator accounts only; other accounts get the 404 of
 * an unknown route.
 */
import type { MiddlewareHandler } from "hono";

import { MetricsQuery, type OperatorMetrics, type OperatorOverview } from "../../core/contract/operator.ts";
import { ApiError } from "../../core/errors.ts";
import { METRIC_PERIODS } from "../../core/metrics/metrics.ts";
import { RELEASE } from "../../core/release.ts";
import { readMetrics } from "../../store/maintenance-client.ts";
import { readOverview } from "../../store/operators/overview.ts";
import { withTimeout } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { noQuery, query } from "../middleware/input.ts";

const METRICS_TIMEOUT_MS = 5_000;

/** Runs after `access`. Responds like an unknown route. */
const operatorOnly: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!c.var.account.isOperator) throw new ApiError("not_found", "This route does not exist. Check the path.");
  await next();
};

export const getOverviewRoute = createHandlers(access(null), operatorOnly, noQuery, async (c) => {
  const signups = c.env.SIGNUPS === "open" ? "open" : "closed";
  const body: OperatorOverview = { release: RELEASE, signups, ...(await readOverview(c.env, Date.now())) };
  return respondJson(c, { status: 200, body });
});

export const getMetricsRoute = createHandlers(access(null), operatorOnly, query(MetricsQuery), async (c) => {
  const { period } = c.req.valid("query");
  const from = Date.now() - METRIC_PERIODS[period];
  const body: OperatorMetrics = { period, counts: await withTimeout(METRICS_TIMEOUT_MS, readMetrics(c.env, from)) };
  return respondJson(c, { status: 200, body });
});
