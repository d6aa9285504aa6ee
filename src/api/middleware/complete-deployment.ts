/**
 * Answers 503 while a deployment lacks settings or tables. Workers have no start-up hook that could fail, so requests
 * find out.
 */
import type { MiddlewareHandler } from "hono";

import { problemText, type ServingProblem } from "../../core/deployment-problems.ts";
import { ApiError } from "../../core/errors.ts";
import { settingsProblem } from "../../core/settings.ts";
import { findMissingTables } from "../../store/operators/deployment-state.ts";
import type { ApiEnv } from "../context.ts";

const RETRY_AFTER_SECONDS = 60;

/** For every request, since sign-in is not safe without its secret. */
export const requireSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  assertSettings(c.env);
  await next();
};

/** @throws ApiError misconfigured */
export function assertSettings(env: Env): void {
  const problem = settingsProblem(env);
  if (!problem) return;
  console.error("misconfigured", { problem: problemText(problem) });
  throw deploymentError(problem);
}

/** For pages, which would otherwise appear and then fail. Requests of the API find out by their queries. */
export const requireTables: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const problem = await findMissingTables(c.env);
  if (problem) throw deploymentError(problem);
  await next();
};

export function deploymentError({ code, message, command }: ServingProblem): ApiError {
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new ApiError(code, message, command === null ? retry : { ...retry, command });
}
