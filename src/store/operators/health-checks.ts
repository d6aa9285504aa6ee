/**
 * The deep health check: uses every part of a deployment as requests do, and reports how long each took. It writes one
 * row per database, always the same one, one small file, and nothing in objects. With new databases it records the time
 * of the first check. Messages name parts, never their contents.
 */
import { hostsProblem, type Hosts } from "../../core/hosts.ts";
import { problemText, type ServingProblem } from "../../core/deployment/deployment-problems.ts";
import type { HealthCheck } from "../../core/contract/operator.ts";
import { reportCopies, checkDatabases } from "../directory/database-checks.ts";
import { figure } from "../../core/limits.ts";
import { imageBucket, countImagesInObjects } from "../images/images.ts";
import { CLOSED_LINKS_MAX, countClosedLinks } from "../links/link-writes.ts";
import { withTimeout } from "../timeout.ts";
import { findMigrationsProblem } from "./migrations.ts";
import { settingsProblem } from "./deployment-state.ts";

const CHECK_TIMEOUT_MS = 5_000;

/** No link's object and no image has this name. */
const PROBE_NAME = "health";

/** @returns the checks in the order of the parts below */
export async function runHealthChecks(env: Env, hosts: Hosts): Promise<HealthCheck[]> {
  const checks: Record<string, Check> = {
    settings: async () => settingsProblem(env) ?? "The settings are valid",
    hosts: async () => checkHosts(hosts),
    database: () => checkDatabases(env),
    migrations: async () => (await findMigrationsProblem(env)) ?? "All are applied",
    copies: () => reportCopies(env),
    objects: () => callObject(env),
    images: () => storeImage(env),
    passwords: () => checkPasswords(env),
  };
  const results = await Promise.all(Object.entries(checks).map(([name, check]) => timed(name, check)));
  return results.filter((result) => result !== null);
}

/** @returns a description of what it did, or a problem; null when there is nothing to check. @throws a problem */
type Check = () => Promise<string | Finding | ServingProblem | null>;

type Finding = Omit<HealthCheck, "name" | "ms">;

async function timed(name: string, check: Check): Promise<HealthCheck | null> {
  const startedAt = Date.now();
  const found = await withTimeout(CHECK_TIMEOUT_MS, check()).then(findingOf, (error: unknown): Finding => {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  });
  return found && { name, ...found, ms: Date.now() - startedAt };
}

function findingOf(done: Awaited<ReturnType<Check>>): Finding | null {
  if (typeof done === "string") return { ok: true, message: done };
  return done && "code" in done ? { ok: false, message: problemText(done) } : done;
}

function checkHosts(hosts: Hosts): string {
  const problem = hostsProblem(hosts);
  if (problem !== null) throw new Error(problem);
  return `${hosts.baseUrl}, links on ${hosts.shortDomains.live} and ${hosts.shortDomains.test}`;
}

/** An object that was never written to stores nothing, and this call writes nothing. */
async function callObject(env: Env): Promise<string> {
  await env.LINK_CLICKS.getByName(PROBE_NAME).snapshot();
  return "An object answered";
}

async function storeImage(env: Env): Promise<string> {
  const [bucket, inObjects] = [imageBucket(env), await countImagesInObjects(env)];
  if (!bucket) return `No bucket is bound: objects store ${inObjects} images`;
  await bucket.put(PROBE_NAME, PROBE_NAME);
  const stored = await bucket.get(PROBE_NAME);
  if ((await stored?.text()) !== PROBE_NAME) throw new Error("The bucket did not return the file that was just stored");
  return inObjects === 0 ? "Stored and read" : `Stored and read; ${inObjects} images move from objects within a day`;
}

/** Only a warning: neither a retry nor another version would open the links. Other checks report a missing database. */
async function checkPasswords(env: Env): Promise<Finding | null> {
  const closed = await countClosedLinks(env).catch(() => 0);
  if (closed === 0) return null;
  const count = `${figure(closed)}${closed < CLOSED_LINKS_MAX ? "" : " or more"}`;
  const message = `Links that no password opens, since BETTER_AUTH_SECRET was replaced after it was set: ${count}`;
  return { ok: true, warning: true, message };
}
