/**
 * Monitoring endpoints: `/health` checks the database, `/ready` whether the deployment is complete, and `/health?deep`,
 * for operators only, each component. The last two also respond while settings are missing.
 */
import type { Context } from "hono";

import type { HealthReport } from "../core/contract/operator.ts";
import { DATABASE_UNAVAILABLE, problemText } from "../core/deployment/deployment-problems.ts";
import { ApiError } from "../core/errors.ts";
import { isDatabaseUp, findDeploymentProblems } from "../store/operators/deployment-state.ts";
import { runHealthChecks } from "../store/operators/health-checks.ts";
import { type ApiEnv, createHandlers, respondJson } from "./context.ts";
import { authenticateBySession, BEARER_CHALLENGE, bearerText, isOperator } from "./middleware/access.ts";
import { assertSettings } from "./middleware/errors.ts";

const NO_STORE = { "Cache-Control": "no-store" };
const RETRY_LATER = { "Retry-After": "60" };

export const readyRoute = createHandlers(async (c) => {
  const found = await findDeploymentProblems(c.env);
  const problems = found.map((problem) => ({ code: problem.code, message: problemText(problem) }));
  const isReady = problems.length === 0;
  return respondStatus(c, { status: isReady ? "ready" : "not_ready", problems }, isReady);
});

export const healthRoute = createHandlers(async (c) => {
  if (c.req.query("deep") !== undefined) return respondDeepHealth(c);
  assertSettings(c.env);
  if (!(await isDatabaseUp(c.env))) {
    throw new ApiError("unavailable", DATABASE_UNAVAILABLE.message, { headers: { "Retry-After": "5" } });
  }
  return respondJson(c, { status: 200, body: { status: "ok" }, headers: NO_STORE });
});

/** The deep health check for a signed-in operator: browsers send the session cookie below `/dashboard` only. */
export const deepHealthRoute = createHandlers(respondDeepHealth);

async function respondDeepHealth(c: Context<ApiEnv>): Promise<Response> {
  await requireOperator(c);
  const checks = await runHealthChecks(c.env, c.var.hosts);
  const isOk = checks.every(({ ok }) => ok);
  const body: HealthReport = { status: isOk ? "ok" : "failing", version: c.env.VERSION.id, checks };
  return respondStatus(c, body, isOk);
}

/** Responds 503 on failure, for monitors that check the status only. */
function respondStatus(c: Context<ApiEnv>, body: object, isGood: boolean): Response {
  return c.json(body, isGood ? 200 : 503, isGood ? NO_STORE : { ...NO_STORE, ...RETRY_LATER });
}

/**
 * Operators authenticate with a token from the command line, or with the session of an operator account.
 * @throws ApiError invalid_operator_token; rate_limited after many wrong tokens
 */
async function requireOperator(c: Context<ApiEnv>): Promise<void> {
  const text = bearerText(c);
  if ((text !== null && (await isOperator(c, text, "operator"))) || (await hasSession(c))) return;
  const message = "Send a valid operator token as Authorization: Bearer <token>. To create one, run";
  throw new ApiError("invalid_operator_token", message, {
    command: "npm run admin -- operator token --remote",
    headers: BEARER_CHALLENGE,
  });
}

async function hasSession(c: Context<ApiEnv>): Promise<boolean> {
  // Sessions need a cookie. Without one, the sign-in code is not loaded.
  if (c.req.header("Cookie") === undefined) return false;
  try {
    await authenticateBySession(c);
    return c.var.account.isOperator;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
