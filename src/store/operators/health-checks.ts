/**
 * The deep health check: uses every part of a deployment as requests do and says how long each took. It writes one row
 * of each database, always the same, one small file, and nothing in objects. With new databases it notes when it was asked
 * first. Messages name parts, never their contents.
 */
import { hostsProblem, type Hosts } from "../../core/hosts.ts";
import { problemText } from "../../core/deployment/deployment-problems.ts";
import type { HealthCheck } from "../../core/contract/operator.ts";
import { settingsProblem } from "../../core/settings.ts";
import { reportCopies } from "../accounts/copy-checks.ts";
import { imageBucket } from "../images/bucket-images.ts";
import { countImagesInObjects } from "../images/object-images.ts";
import { namedDatabases } from "../links/links-database.ts";
import { withTimeout } from "../timeout.ts";
import { findMigrationsProblem, MIGRATIONS } from "./migrations.ts";

const CHECK_TIMEOUT_MS = 5_000;
/** Below the other one, so that the database is named. */
const DATABASE_TIMEOUT_MS = 4_500;

/** No link's object and no image has this name. */
const PROBE_NAME = "health";

/** @returns the checks in the order of the parts below */
export function runHealthChecks(env: Env, hosts: Hosts): Promise<HealthCheck[]> {
  const checks: Record<string, () => Promise<string>> = {
    settings: async () => checkSettings(env),
    hosts: async () => checkHosts(hosts),
    database: () => writeAndReadAll(env),
    migrations: () => checkMigrations(env),
    ...(namedDatabases(env).length > 1 && { copies: () => checkCopies(env) }),
    objects: () => callObject(env),
    images: () => storeImage(env),
  };
  return Promise.all(Object.entries(checks).map(([name, check]) => timed(name, check)));
}

/** @param check  returns what it has done, and throws what is wrong */
async function timed(name: string, check: () => Promise<string>): Promise<HealthCheck> {
  const startedAt = Date.now();
  const [ok, message] = await withTimeout(CHECK_TIMEOUT_MS, check()).then(
    (done): [boolean, string] => [true, done],
    (error: unknown): [boolean, string] => [false, textOf(error)],
  );
  return { name, ok, message, ms: Date.now() - startedAt };
}

function checkSettings(env: Env): string {
  const problem = settingsProblem(env);
  if (problem) throw new Error(problemText(problem));
  return "The settings are right";
}

function checkHosts(hosts: Hosts): string {
  const problem = hostsProblem(hosts);
  if (problem !== null) throw new Error(problem);
  return `${hosts.baseUrl}, links on ${hosts.shortDomains.live} and ${hosts.shortDomains.test}`;
}

/** Names the databases that fail. */
async function writeAndReadAll(env: Env): Promise<string> {
  const databases = namedDatabases(env);
  const results = await Promise.allSettled(
    databases.map(([, database]) => withTimeout(DATABASE_TIMEOUT_MS, writeAndRead(database))),
  );
  const faults = results.flatMap((result, index) =>
    result.status === "rejected"
      ? [`${databases.length > 1 ? `${databases[index]?.[0]}: ` : ""}${textOf(result.reason)}`]
      : [],
  );
  if (faults.length > 0) throw new Error(faults.join("; "));
  return databases.length > 1 ? `Written and read, all ${databases.length}` : "Written and read";
}

async function writeAndRead(database: D1Database): Promise<void> {
  await database
    .prepare(
      `INSERT INTO health_checks (name, checked_at) VALUES (?1, ?2)
       ON CONFLICT (name) DO UPDATE SET checked_at = max(checked_at, excluded.checked_at)`,
    )
    .bind(PROBE_NAME, Date.now())
    .run();
  const row = await database.prepare("SELECT 1 FROM health_checks WHERE name = ?1").bind(PROBE_NAME).first();
  if (!row) throw new Error("The database has lost what was just written");
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function checkMigrations(env: Env): Promise<string> {
  const problem = await findMigrationsProblem(env);
  if (problem) throw new Error(problemText(problem));
  return `All ${MIGRATIONS.length} are applied`;
}

async function checkCopies(env: Env): Promise<string> {
  const { ok, message } = await reportCopies(env);
  if (!ok) throw new Error(message);
  return message;
}

/** An object that never was written to stores nothing, and is not written to here. */
async function callObject(env: Env): Promise<string> {
  await env.LINK_CLICKS.getByName(PROBE_NAME).snapshot();
  return "An object answered";
}

async function storeImage(env: Env): Promise<string> {
  const [bucket, inObjects] = [imageBucket(env), await countImagesInObjects(env)];
  if (!bucket) return `There is no bucket: objects keep ${inObjects} images`;
  await bucket.put(PROBE_NAME, PROBE_NAME);
  const stored = await bucket.get(PROBE_NAME);
  if ((await stored?.text()) !== PROBE_NAME) throw new Error("The bucket has lost what was just stored");
  return inObjects === 0 ? "Stored and read" : `Stored and read; ${inObjects} images move from objects within a day`;
}
