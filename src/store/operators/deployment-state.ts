/** Whether a deployment can serve: its settings, its tables, its first account. */
import {
  DATABASE_UNAVAILABLE,
  type DeploymentProblem,
  NO_ACCOUNT,
  type ServingProblem,
} from "../../core/deployment-problems.ts";
import { settingsProblem } from "../../core/settings.ts";
import { withTimeout } from "../timeout.ts";
import { hasAccounts } from "./first-account.ts";
import { findMigrationsProblem } from "./migrations.ts";

const DATABASE_TIMEOUT_MS = 2_000;

/** Every problem at once, the one to solve first in front. */
export async function findDeploymentProblems(env: Env): Promise<DeploymentProblem[]> {
  const ofSettings = settingsProblem(env);
  const ofDatabase = await withTimeout(DATABASE_TIMEOUT_MS, findDatabaseProblem(env)).catch(() => DATABASE_UNAVAILABLE);
  return [ofSettings, ofDatabase].filter((problem) => problem !== null);
}

async function findDatabaseProblem(env: Env): Promise<DeploymentProblem | null> {
  const problem = await findMigrationsProblem(env);
  if (problem) return problem;
  return (await hasAccounts(env)) ? null : NO_ACCOUNT;
}

/** Databases that had every table when they were asked: tables do not go away. */
const migratedDatabases = new WeakSet<D1Database>();

/**
 * Missing tables, looked for until they are there. Null also when the database does not answer: pages do without.
 */
export async function findMissingTables({ DB }: Pick<Env, "DB">): Promise<ServingProblem | null> {
  if (migratedDatabases.has(DB)) return null;
  try {
    const problem = await withTimeout(DATABASE_TIMEOUT_MS, findMigrationsProblem({ DB }));
    if (!problem) migratedDatabases.add(DB);
    return problem;
  } catch {
    return null;
  }
}

/** Missing tables, asked for anew: to explain an error that nothing else explains. Never throws. */
export async function explainByMissingTables({ DB }: Pick<Env, "DB">): Promise<ServingProblem | null> {
  migratedDatabases.delete(DB);
  return findMissingTables({ DB });
}

/** Whether there is an account; true also when the database does not answer, so that sign-in says what is wrong. */
export async function seemsToHaveAccounts(env: Pick<Env, "DB">): Promise<boolean> {
  return withTimeout(DATABASE_TIMEOUT_MS, hasAccounts(env)).catch(() => true);
}
