/**
 * The checks of `admin doctor` for a deployment, for a version that few visitors get yet, and for the development
 * database. A fact that cannot be read is also a finding, so that one missing permission does not hide the rest.
 */
import { visibleText } from "../../client/cli/terminal-text.ts";
import { signUpPlan } from "../../core/account.ts";
import { migrationsProblem } from "../../core/deployment/deployment-problems.ts";
import { settingsProblem } from "../../store/operators/deployment-state.ts";
import { MIGRATIONS } from "../../store/operators/migrations.ts";
import { CloudflareApiError } from "../cloudflare/api.ts";
import { withLocalDatabaseAsItIs } from "../database.ts";
import { connect, connectDatabases, type Connection } from "./connection.ts";
import { Dialog } from "./dialog.ts";
import { ALWAYS_USE_HTTPS } from "./domains.ts";
import {
  type DatabaseFacts,
  type HostFact,
  localFacts,
  type LocalFacts,
  remoteFacts,
  type RemoteFacts,
} from "./facts.ts";
import { pinTo, type ReportedCheck, waitForHealth } from "./health.ts";
import { mainVersion, newVersion, readDeployedWorker } from "./versions.ts";

export interface Check {
  name: string;
  level: Level;
  message: string;
  /** The command to run; null if nothing is wrong, or no command helps. */
  command: string | null;
}

type Level = "ok" | "warning" | "failure";

/** One check may have findings in several places, each with a name. */
type Finding = Omit<Check, "name"> & { name?: string };
type Finder<Facts> = (facts: Facts) => Promise<Finding | Finding[]> | Finding | Finding[];

const UPGRADE = "npm run upgrade";
const HEALTH = "health";
const BROWSER_CHECK_CODE = "error code: 1010";
const CUSTOMERS_GUIDE = "SSL/TLS, Custom Hostnames in Cloudflare's dashboard (Deploy guide, Domains of your customers)";
/** Secrets can never be read back; the deployment itself reports whether this one is long enough. */
const UNKNOWN_SECRET = "?".repeat(64);
const MARKS: Record<Level, string> = { ok: "✓", warning: "!", failure: "✗" };

const OF_A_VERSION: Record<string, Finder<RemoteFacts>> = {
  bindings: findBindings,
  settings: findSettings,
  migrations: (facts) => findMigrations(facts, UPGRADE),
  objects: findObjects,
  "rate limits": findRateLimits,
};

const AROUND: Record<string, Finder<RemoteFacts>> = {
  replication: async (facts) =>
    (await facts.replication()) === "auto"
      ? ok("Replicas near visitors serve reads")
      : warning("Read replication is off: all reads go to one location", setupCommand(facts)),
  "cron jobs": findCrons,
  version: findVersion,
  hosts: findHosts,
  "plain HTTP": findPlainHttp,
  programs: findPrograms,
  "customers' domains": findCustomers,
  images: findImages,
  visitors: (facts) =>
    facts.salts === null
      ? warning(
          "Unique visitors are not counted: the Worker is not bound to the Workers KV namespace VISITOR_SALTS",
          setupCommand(facts),
        )
      : ok("Unique visitors are counted"),
  "sign-ups": findSignups,
  accounts: (facts) => findAccounts(facts, setupCommand(facts)),
};

/** @internal */
export async function remoteChecks(facts: RemoteFacts, finders = { ...OF_A_VERSION, ...AROUND }): Promise<Check[]> {
  return withHealth(await findAll(finders, facts), facts);
}

/** @internal @param facts  null if the database does not exist */
export async function localChecks(facts: LocalFacts | null): Promise<Check[]> {
  const run = "npm run dev";
  if (!facts) return [{ name: "database", ...failure("The development database does not exist yet", run) }];
  const { url, health } = facts;
  const finders: Record<string, Finder<LocalFacts>> = {
    migrations: () => findMigrations(facts, run),
    accounts: () => findAccounts(facts, "npm run admin -- account create --email E"),
    ...(health === null && { server: () => warning(`No development server responds at ${url}`, run) }),
  };
  return [...(await findAll(finders, facts)), ...(health ? await healthChecks(health, run) : [])];
}

/** @returns the worst level */
export function worstLevel(checks: readonly Check[]): Level {
  const levels = new Set(checks.map(({ level }) => level));
  return (["failure", "warning"] as const).find((level) => levels.has(level)) ?? "ok";
}

/** One line per check, followed by a line with the command to run. */
export function formatChecks(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, level, message, command }) => [
    `${MARKS[level]} ${name}: ${visibleText(message)}`,
    ...(command === null ? [] : [`    → ${command}`]),
  ]);
  return lines.join("\n");
}

async function findAll<Facts>(finders: Record<string, Finder<Facts>>, facts: Facts): Promise<Check[]> {
  const found = Object.entries(finders).map(async ([name, find]) => {
    const findings = await (async () => find(facts))().catch(unreadable);
    return [findings].flat().map((finding) => ({ name, ...finding }));
  });
  return (await Promise.all(found)).flat();
}

/** Tokens differ in their permissions: a fact that this one may not read can still be right. */
function unreadable(error: unknown): Finding {
  const isForbidden = error instanceof CloudflareApiError && error.isUnavailable;
  const message = `Could not be read: ${error instanceof Error ? error.message : String(error)}`;
  return isForbidden ? warning(message, null) : failure(message, null);
}

/** Adds the failures that its health reports, unless a check has already reported them. */
async function withHealth(own: Check[], { health, name: worker }: RemoteFacts): Promise<Check[]> {
  const reported = new Set(own.filter(({ level }) => level !== "ok").map(({ name }) => `${HEALTH}: ${name}`));
  const parts = await healthChecks(health, `npx wrangler tail ${worker}`);
  return [...own, ...parts.filter(({ name }) => !reported.has(name))];
}

async function healthChecks(health: () => Promise<ReportedCheck[]>, command: string): Promise<Check[]> {
  const find = async () => {
    const parts = await health();
    const wrong = parts.filter((part) => !part.ok || part.warning);
    if (wrong.length === 0) return ok(`All ${parts.length} parts work`);
    return wrong.map((part) => {
      const finding = part.ok ? warning(part.message, null) : failure(part.message, command);
      return { ...finding, name: `${HEALTH}: ${part.name}` };
    });
  };
  const checks = await findAll({ [HEALTH]: find }, null);
  return checks.map((check) => (check.level === "failure" ? { ...check, command } : check));
}

/** A deployment without a bucket stays without one. */
function setupCommand({ name, isNamed, bucket }: RemoteFacts, ...options: string[]): string {
  const all = [...(isNamed ? [`--name ${name}`] : []), ...(bucket === null ? ["--no-r2"] : []), ...options];
  return ["npm run setup", ...(all.length === 0 ? [] : ["--", ...all])].join(" ");
}

function setVariable(facts: RemoteFacts, variable: string): string {
  return setupCommand(facts, `--var ${variable}:VALUE`);
}

async function findMigrations({ pending }: DatabaseFacts, command: string): Promise<Finding> {
  const problem = migrationsProblem(await pending(), MIGRATIONS.length);
  return problem ? failure(problem.message, command) : ok("All are applied");
}

async function findAccounts({ hasAccounts }: DatabaseFacts, command: string): Promise<Finding> {
  return (await hasAccounts()) ? ok("At least one exists") : warning("There is no account yet", command);
}

function findBindings(facts: RemoteFacts): Finding {
  const bound = new Set(facts.bindings.map(({ name }) => name));
  const missing = facts.expectedBindings.map(({ name }) => name).filter((name) => !bound.has(name));
  if (missing.length === 0) return ok(`All ${facts.expectedBindings.length} exist`);
  return failure(`The Worker is not bound to ${missing.join(", ")}`, setupCommand(facts));
}

function findSettings(facts: RemoteFacts): Finding {
  const secret = facts.secrets.has("BETTER_AUTH_SECRET") ? UNKNOWN_SECRET : "";
  const bound = Object.fromEntries(facts.bindings.map((binding) => [binding.name, binding]));
  const problem = settingsProblem({ ...bound, ...facts.variables, BETTER_AUTH_SECRET: secret });
  if (!problem) return ok("The secret is set, and all variables are valid");
  const [variable = "NAME"] = /[A-Z]+(?:_[A-Z]+)+/.exec(problem.message) ?? [];
  const command = problem.command === null ? setVariable(facts, variable) : `${problem.command} --name ${facts.name}`;
  return failure(problem.message, command);
}

function findObjects({ migrationTag, knownTags }: RemoteFacts): Finding {
  const newest = knownTags.at(-1) ?? null;
  if (migrationTag === newest) return ok(`The classes match this release (${newest})`);
  if (migrationTag !== null && !knownTags.includes(migrationTag))
    return warning(`The classes belong to a later release (${migrationTag})`, "git pull && npm ci");
  return warning(`The classes belong to an earlier release (${migrationTag ?? "none"})`, UPGRADE);
}

/** Workers with the same namespace count their requests together. */
function findRateLimits({ bindings, expectedBindings }: RemoteFacts): Finding {
  const foreign = expectedBindings.filter(({ name, namespace_id: wanted }) => {
    const present = bindings.find((binding) => binding.name === name)?.namespace_id;
    return wanted !== undefined && present !== undefined && present !== wanted;
  });
  if (foreign.length === 0) return ok("No other deployment uses their namespaces");
  const names = foreign.map(({ name }) => name).join(", ");
  return warning(`${names}: another deployment may use the same namespace`, UPGRADE);
}

async function findCrons(facts: RemoteFacts): Promise<Finding> {
  const crons = await facts.crons();
  const missing = facts.expectedCrons.filter((cron) => !crons.includes(cron));
  if (missing.length === 0) return ok(`All ${facts.expectedCrons.length} are scheduled`);
  const lines = missing.map((cron) => `“${cron}”`).join(", ");
  return failure(`Missing: ${lines}. Without them, nothing is cleaned up or delivered`, setupCommand(facts));
}

async function findVersion(facts: RemoteFacts): Promise<Finding> {
  const deployment = await facts.deployment();
  if (!deployment) return failure("No version is deployed", "npm run setup");
  const added = newVersion(deployment);
  if (!added) return ok(`${mainVersion(deployment)} serves all visitors`);
  const { version_id: id, percentage } = added;
  const message = `An upgrade is in progress: ${id} serves ${percentage} % of the visitors`;
  return warning(message, `${UPGRADE} -- --continue, or npm run rollback`);
}

async function findHosts(facts: RemoteFacts): Promise<Finding[]> {
  const hosts = await facts.hosts();
  if (hosts.length === 0) return [ok("The Worker uses its workers.dev address")];
  return hosts.map((host) => ({ ...findHost(host, facts.name, domainsCommand(facts)), name: `host ${host.hostname}` }));
}

function findHost({ service, hasCertificate, fault }: HostFact, worker: string, command: string | null): Finding {
  if (service !== null && service !== worker) return failure(`Belongs to the Worker ${service}`, command);
  if (service !== null && !hasCertificate) return failure("Has no certificate", command);
  if (fault !== null) return failure(`Does not respond: ${fault}`, command);
  if (service !== null) return ok("Points to the Worker, with a certificate");
  return warning("Responds, but isn't a custom domain of the Worker. A route works as well", command);
}

async function findPlainHttp({ plainHttp }: RemoteFacts): Promise<Finding> {
  const answer = await plainHttp();
  if (answer === null) return ok("None of your zones responds to it");
  if (answer.location?.startsWith("https:")) return ok("Redirected to https");
  return warning(`${answer.url} is not redirected to https: ${ALWAYS_USE_HTTPS}`, null);
}

async function findPrograms({ pythonReply }: RemoteFacts): Promise<Finding> {
  const { status, body } = await pythonReply();
  if (status !== 403) return ok("The zone accepts them, including Python's urllib");
  const [code = "403"] = /error code: \d+/.exec(body) ?? [];
  const reason = code === BROWSER_CHECK_CODE ? "Browser Integrity Check blocks" : "A rule of the zone blocks";
  return warning(`${reason} Python's urllib with ${code} (Deploy guide, Programs that a zone refuses)`, null);
}

/** @returns null if the setup would change the hosts, because it puts live links on the API's host */
function domainsCommand(facts: RemoteFacts): string | null {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = facts.variables;
  const base = URL.parse(BASE_URL)?.host ?? "";
  if (SHORT_DOMAIN !== "" && SHORT_DOMAIN !== base) return null;
  const test = TEST_SHORT_DOMAIN === "" || TEST_SHORT_DOMAIN === base ? [] : [`--test-domain ${TEST_SHORT_DOMAIN}`];
  return setupCommand(facts, `--domain ${base}`, ...test);
}

/** Checks the setup for customers' domains, with certificates from Cloudflare for SaaS. */
async function findCustomers(facts: RemoteFacts): Promise<Finding> {
  const { CF_ZONE_ID = "", CNAME_TARGET = "" } = facts.variables;
  const hasToken = facts.secrets.has("CF_API_TOKEN");
  if (CF_ZONE_ID === "" && !hasToken) return ok("Verified by DNS only, without certificates");
  if (CF_ZONE_ID === "") return failure("CF_API_TOKEN is set, but CF_ZONE_ID is not", setVariable(facts, "CF_ZONE_ID"));
  if (!hasToken) {
    const command = `npx wrangler secret put CF_API_TOKEN --name ${facts.name}`;
    return failure("CF_ZONE_ID is set, but CF_API_TOKEN is not", command);
  }
  const fallback = await facts.fallbackOrigin();
  if (fallback === null)
    return failure(`The zone has no fallback origin, so they lead nowhere. Set one: ${CUSTOMERS_GUIDE}`, null);
  if (fallback.status !== "active") {
    const message = `The fallback origin ${fallback.origin} is ${fallback.status}. Check it: ${CUSTOMERS_GUIDE}`;
    return warning(message, null);
  }
  if (CNAME_TARGET !== "") return ok(`They point to ${CNAME_TARGET}, with certificates`);
  const message = "CNAME_TARGET is not set: they must point to the zone's fallback origin";
  return warning(message, setVariable(facts, "CNAME_TARGET"));
}

async function findImages({ bucket, images }: RemoteFacts): Promise<Finding> {
  const served = await images();
  if (served === null) return ok(`Served by the Worker, from ${bucket === null ? "objects" : `the bucket ${bucket}`}`);
  const { url, status, missingHeaders } = served;
  const { hostname } = new URL(url);
  if (status !== 200) {
    const command = `npx wrangler r2 bucket domain add ${bucket ?? "BUCKET"} --domain ${hostname} --zone-id ZONE_ID`;
    return failure(`${url} returns ${status}`, command);
  }
  if (missingHeaders.length === 0) return ok(`Served by ${hostname}, with the required headers`);
  const headers = missingHeaders.join(", ");
  return warning(`${hostname} sends no ${headers}: add Transform Rules to the zone (Deploy guide, QR images)`, null);
}

function findSignups(facts: RemoteFacts): Finding {
  const { SIGNUPS: value = "", DEFAULT_PLAN = "" } = facts.variables;
  if (DEFAULT_PLAN !== "" && DEFAULT_PLAN !== signUpPlan(facts.variables))
    return warning("DEFAULT_PLAN is neither free nor premium, so it is free", setVariable(facts, "DEFAULT_PLAN"));
  if (value === "open") return ok("Open: anyone can create an account");
  if (value === "" || value === "closed") return ok("Closed: only the operator creates accounts");
  return warning("SIGNUPS is neither open nor closed, so sign-ups are closed", setVariable(facts, "SIGNUPS"));
}

function ok(message: string): Finding {
  return { level: "ok", message, command: null };
}

function warning(message: string, command: string | null): Finding {
  return { level: "warning", message, command };
}

function failure(message: string, command: string | null): Finding {
  return { level: "failure", message, command };
}

/** @throws SetupError if the Worker does not exist */
export async function examineRemote(output: NodeJS.WritableStream): Promise<Check[]> {
  const dialog = new Dialog(output);
  const connection = await connect(undefined, dialog);
  return dialog.step("Checks", () => remoteChecks(remoteFacts(connection)));
}

/** Examines the current deployment, of which `connection` may know an earlier version. */
export async function examineAgain(connection: Connection): Promise<Check[]> {
  const deployed = (await readDeployedWorker(connection, connection.name)) ?? connection.deployed;
  return remoteChecks(remoteFacts({ ...connection, deployed }));
}

/** @param waiting  how to wait for the version @throws SetupError if requests do not reach it */
export async function examineVersion(
  connection: Connection,
  version: string,
  waiting: { spreadsMs?: number; signal?: AbortSignal },
): Promise<Check[]> {
  const { baseUrl, name } = connection;
  const place = { baseUrl, headers: pinTo(name, version) };
  const { rows } = await connectDatabases(connection);
  const health = await waitForHealth(rows, place, { version, ...waiting });
  const deployed = await connection.versions.worker(version);
  const facts = { ...remoteFacts({ ...connection, deployed }), health: async () => health };
  return remoteChecks(facts, OF_A_VERSION);
}

/** @param url  of the development server, if one is running */
export async function examineLocal(persistTo: string | undefined, url: string): Promise<Check[]> {
  const checks = await withLocalDatabaseAsItIs(persistTo, async (rows) => localChecks(await localFacts(rows, url)));
  return checks ?? localChecks(null);
}
