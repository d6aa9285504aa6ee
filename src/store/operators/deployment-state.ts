/** Whether a deployment can serve: its settings, its tables, its first account. */
import {
  DATABASE_UNAVAILABLE,
  type DeploymentProblem,
  type LackingDatabase,
  migrationsProblem,
  NO_ACCOUNT,
  type ServingProblem,
} from "../../core/deployment/deployment-problems.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { askNamedDatabases } from "../directory/directory.ts";
import { withTimeout } from "../timeout.ts";
import { hasAccounts } from "./first-account.ts";
import { MIGRATIONS, pendingIn, findMigrationsProblem } from "./migrations.ts";
import { settingsProblem } from "./settings.ts";

const DATABASE_TIMEOUT_MS = 2_000;

/** Returns all problems, with the one to solve first at the front. */
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

/** Databases that had every table when checked: tables are never removed. */
let migratedDatabases = new WeakSet<D1Database>();

/** Checks for missing tables until all exist. Also null if databases do not respond: pages work without it. */
export async function findMissingTables(env: LinksEnv): Promise<ServingProblem | null> {
  const lacking = await askNamedDatabases(env, lackingIn);
  return migrationsProblem(lacking.flat(), MIGRATIONS.length);
}

async function lackingIn(database: D1Database, name: string): Promise<LackingDatabase[]> {
  if (migratedDatabases.has(database)) return [];
  try {
    const pending = await withTimeout(DATABASE_TIMEOUT_MS, pendingIn(database));
    if (pending.length > 0) return [{ database: name, pending }];
    migratedDatabases.add(database);
    return [];
  } catch {
    return [];
  }
}

/** Checks again for missing tables, to explain an otherwise unexplained error. Never throws. */
export async function explainByMissingTables(env: LinksEnv): Promise<ServingProblem | null> {
  migratedDatabases = new WeakSet();
  return findMissingTables(env);
}

/** Whether an account exists; also true if the database does not respond, so that sign-in reports the problem. */
export async function seemsToHaveAccounts(env: Pick<Env, "DB">): Promise<boolean> {
  return withTimeout(DATABASE_TIMEOUT_MS, hasAccounts(env)).catch(() => true);
}

/** Whether the home database responds. */
export async function isDatabaseUp(env: Env): Promise<boolean> {
  const probe = withTimeout(DATABASE_TIMEOUT_MS, env.DB.prepare("SELECT 1").first());
  return probe.then(
    () => true,
    () => false,
  );
}
