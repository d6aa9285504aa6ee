/** Whether a deployment can serve: its settings, its tables, its first account. */
import {
  DATABASE_UNAVAILABLE,
  type DeploymentProblem,
  type LackingDatabase,
  migrationsProblem,
  NO_ACCOUNT,
  type ServingProblem,
} from "../../core/deployment/deployment-problems.ts";
import {
  abuseContact,
  type DefaultRedirectSettings,
  defaultRedirectSettingsProblem,
  type HostSettings,
  hostSettingsProblem,
} from "../../core/deployment/settings.ts";
import { FIRST_ACCOUNT_TOKEN_MIN_CHARS, SETUP_TOKEN_MAX_CHARS } from "../../core/limits.ts";
import { databasesProblem, type LinksEnv } from "../directory/databases.ts";
import { askNamedDatabases } from "../directory/directory.ts";
import { withTimeout } from "../timeout.ts";
import { hasAccounts } from "./first-account.ts";
import { MIGRATIONS, pendingIn, findMigrationsProblem } from "./migrations.ts";

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

/** 32 characters of base 64 are 192 bits. A shorter secret could be guessed and used to forge session cookies. */
const AUTH_SECRET_MIN_CHARS = 32;

interface Settings extends HostSettings, DefaultRedirectSettings {
  BETTER_AUTH_SECRET?: string;
  ABUSE_CONTACT?: string;
  LINK_DATABASES?: string;
}

const SECRET_COMMAND = "openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET";

/**
 * Checks settings and bindings. The service answers 503 `misconfigured` until they are valid.
 * @returns null when the settings are valid
 */
export function settingsProblem(settings: Settings): ServingProblem | null {
  const { BETTER_AUTH_SECRET = "" } = settings;
  if (BETTER_AUTH_SECRET.length < AUTH_SECRET_MIN_CHARS) {
    const fault = BETTER_AUTH_SECRET === "" ? "is not set" : `has fewer than ${AUTH_SECRET_MIN_CHARS} characters`;
    return misconfigured(`This deployment's BETTER_AUTH_SECRET ${fault}`, SECRET_COMMAND);
  }
  const problem = hostSettingsProblem(settings) ?? defaultRedirectSettingsProblem(settings);
  if (problem !== null) return misconfigured(problem, null);
  const ofDatabases = databasesProblem(settings);
  if (ofDatabases !== null) return misconfigured(ofDatabases, null);
  if (abuseContact(settings) !== "invalid") return null;
  return misconfigured(
    "This deployment's ABUSE_CONTACT must be an email address, an http or https URL, or empty",
    null,
  );
}

/**
 * Checked only when `FIRST_ACCOUNT_TOKEN` is used: it has no effect once an account has existed, so an invalid one must
 * not stop the service.
 * @returns null when the token is valid
 */
export function firstAccountTokenProblem(token: string): ServingProblem | null {
  if (token.length >= FIRST_ACCOUNT_TOKEN_MIN_CHARS && token.length <= SETUP_TOKEN_MAX_CHARS) return null;
  const lengths = `${FIRST_ACCOUNT_TOKEN_MIN_CHARS} to ${SETUP_TOKEN_MAX_CHARS}`;
  return misconfigured(
    `This deployment's FIRST_ACCOUNT_TOKEN must have ${lengths} characters`,
    "npx wrangler secret put FIRST_ACCOUNT_TOKEN",
  );
}

function misconfigured(message: string, command: string | null): ServingProblem {
  return { code: "misconfigured", message, command };
}
