/** What `admin doctor` says of a deployment, or of a version that few visitors get yet. Pure: facts in, checks out. */
import type { LackingDatabase } from "../../core/deployment/deployment-problems.ts";
import { settingsProblem } from "../../store/operators/settings.ts";
import {
  accountsCheck,
  type Check,
  type Fact,
  failure,
  HEALTH,
  healthChecks,
  ok,
  type Part,
  pendingCheck,
  unreadable,
  Unreadable,
  warning,
} from "./check.ts";
import { type Deployment, mainVersion, newVersion } from "./versions.ts";

/** What the Worker is bound to, or should be. Rate limits have a namespace. */
export interface BindingFact {
  name: string;
  namespace_id?: string | undefined;
}

export interface VersionFacts {
  /** Of the Worker. */
  name: string;
  /** Whether commands work on another Worker unless they are told its name. */
  isNamed: boolean;
  /** Of its images; null without one. */
  bucket: string | null;
  /** Whether it is bound to a KV namespace for the salts of visitors' hashes. */
  hasSalts: boolean;
  variables: Record<string, string>;
  secrets: ReadonlySet<string>;
  bindings: BindingFact[];
  expectedBindings: BindingFact[];
  migrationTag: string | null;
  /** Of this release, the newest last. */
  knownTags: string[];
  pending: Fact<LackingDatabase[]>;
  health: Fact<Part[]>;
}

export interface HostFact {
  hostname: string;
  /** The Worker whose custom domain it is; null where it is none. */
  service: string | null;
  hasCertificate: boolean;
  /** Why there was no answer over HTTPS. */
  fault: string | null;
}

export interface ImagesFact {
  url: string;
  status: number;
  /** Names of the headers that are missing. */
  missingHeaders: string[];
}

/** Where requests for custom hostnames go. */
export interface FallbackOriginFact {
  origin: string;
  /** `active` once it serves. */
  status: string;
}

export interface RemoteFacts extends VersionFacts {
  hasAccounts: Fact<boolean>;
  /** `auto` or `disabled`. */
  replication: Fact<string>;
  crons: Fact<string[]>;
  expectedCrons: string[];
  deployment: Fact<Deployment | null>;
  /** Hosts of its own; none on workers.dev. */
  hosts: Fact<HostFact[]>;
  /** Null where the zone has none, or no zone is named. */
  fallbackOrigin: Fact<FallbackOriginFact | null>;
  /** Null where the Worker serves the images. */
  images: Fact<ImagesFact> | null;
}

const UPGRADE = "npm run upgrade";
const CUSTOMERS = "customers' domains";
const CUSTOMERS_GUIDE = "Cloudflare, SSL/TLS, Custom Hostnames (Deploy, Domains of your customers)";
/** Secrets are never read back; whether this one is long enough is told by the deployment itself. */
const UNKNOWN_SECRET = "?".repeat(64);

export function versionChecks(facts: VersionFacts): Check[] {
  return withHealth(partChecks(facts), facts);
}

export function remoteChecks(facts: RemoteFacts): Check[] {
  const around = [
    replicationCheck(facts),
    cronsCheck(facts),
    versionCheck(facts.deployment),
    ...hostsChecks(facts),
    customersCheck(facts),
    imagesCheck(facts),
    visitorsCheck(facts),
    signupsCheck(facts),
    accountsCheck(facts.hasAccounts, setupCommand(facts)),
  ];
  return withHealth([...partChecks(facts), ...around], facts);
}

function partChecks(facts: VersionFacts): Check[] {
  return [
    bindingsCheck(facts),
    settingsCheck(facts),
    pendingCheck(facts.pending, UPGRADE),
    objectsCheck(facts),
    rateLimitsCheck(facts),
  ];
}

/** Adds what its health says, unless a check has said it. */
function withHealth(own: Check[], { health, name: worker }: VersionFacts): Check[] {
  const told = new Set(own.filter(({ level }) => level !== "ok").map(({ name }) => `${HEALTH}: ${name}`));
  const parts = healthChecks(health, `npx wrangler tail ${worker}`);
  return [...own, ...parts.filter(({ name }) => !told.has(name))];
}

/** A deployment without a bucket stays so. */
function setupCommand({ name, isNamed, bucket }: VersionFacts, ...options: string[]): string {
  const all = [...(isNamed ? [`--name ${name}`] : []), ...(bucket === null ? ["--no-r2"] : []), ...options];
  return ["npm run setup", ...(all.length === 0 ? [] : ["--", ...all])].join(" ");
}

function setVariable(facts: VersionFacts, variable: string): string {
  return setupCommand(facts, `--var ${variable}:VALUE`);
}

function bindingsCheck(facts: VersionFacts): Check {
  const bound = new Set(facts.bindings.map(({ name }) => name));
  const missing = facts.expectedBindings.map(({ name }) => name).filter((name) => !bound.has(name));
  if (missing.length === 0) return ok("bindings", `All ${facts.expectedBindings.length} are there`);
  return failure("bindings", `The Worker is not bound to ${missing.join(", ")}`, setupCommand(facts));
}

function settingsCheck(facts: VersionFacts): Check {
  const { variables, secrets, name } = facts;
  const secret = secrets.has("BETTER_AUTH_SECRET") ? UNKNOWN_SECRET : "";
  const bound = Object.fromEntries(facts.bindings.map((binding) => [binding.name, binding]));
  const problem = settingsProblem({ ...bound, ...variables, BETTER_AUTH_SECRET: secret });
  if (!problem) return ok("settings", "The secret is set, the variables are right");
  const [variable = "NAME"] = /[A-Z]+(?:_[A-Z]+)+/.exec(problem.message) ?? [];
  const command = problem.command === null ? setVariable(facts, variable) : `${problem.command} --name ${name}`;
  return failure("settings", problem.message, command);
}

function objectsCheck({ migrationTag, knownTags }: VersionFacts): Check {
  const newest = knownTags.at(-1) ?? null;
  if (migrationTag === newest) return ok("objects", `Their classes are those of this release, ${newest}`);
  if (migrationTag !== null && !knownTags.includes(migrationTag))
    return warning("objects", `Their classes are of a later release, ${migrationTag}`, "git pull && npm ci");
  return warning("objects", `Their classes are of an earlier release, ${migrationTag ?? "none"}`, UPGRADE);
}

/** Workers with the same namespace count their requests together. */
function rateLimitsCheck({ bindings, expectedBindings }: VersionFacts): Check {
  const foreign = expectedBindings.filter(({ name, namespace_id: wanted }) => {
    const present = bindings.find((binding) => binding.name === name)?.namespace_id;
    return wanted !== undefined && present !== undefined && present !== wanted;
  });
  if (foreign.length === 0) return ok("rate limits", "Their namespaces are this deployment's own");
  const names = foreign.map(({ name }) => name).join(", ");
  return warning("rate limits", `${names}: another deployment may count with the same namespace`, UPGRADE);
}

function replicationCheck(facts: RemoteFacts): Check {
  if (facts.replication instanceof Unreadable) return unreadable("replication", facts.replication);
  if (facts.replication === "auto") return ok("replication", "Reads are served near visitors");
  return warning("replication", "Read replication is off: every read goes to one place", setupCommand(facts));
}

function cronsCheck(facts: RemoteFacts): Check {
  const { crons, expectedCrons } = facts;
  if (crons instanceof Unreadable) return unreadable("cron jobs", crons);
  const missing = expectedCrons.filter((cron) => !crons.includes(cron));
  if (missing.length === 0) return ok("cron jobs", `All ${expectedCrons.length} are set`);
  const lines = missing.map((cron) => `“${cron}”`).join(", ");
  return failure("cron jobs", `Missing: ${lines}. Nothing is cleared or delivered without them`, setupCommand(facts));
}

function versionCheck(deployment: Fact<Deployment | null>): Check {
  if (deployment instanceof Unreadable) return unreadable("version", deployment);
  if (!deployment) return failure("version", "Nothing is deployed", "npm run setup");
  const [main, added] = [mainVersion(deployment), newVersion(deployment)];
  if (added === null) return ok("version", `${main} serves all visitors`);
  const share = deployment.versions.find(({ version_id }) => version_id === added)?.percentage;
  const message = `An upgrade is under way: ${added} serves ${share} % of the visitors`;
  return warning("version", message, `${UPGRADE} -- --continue, or npm run rollback`);
}

function hostsChecks(facts: RemoteFacts): Check[] {
  const { hosts, name: worker } = facts;
  if (hosts instanceof Unreadable) return [unreadable("hosts", hosts)];
  if (hosts.length === 0) return [ok("hosts", "It serves at its address below workers.dev")];
  const command = domainsCommand(facts);
  return hosts.map(({ hostname, service, hasCertificate, fault }) => {
    const name = `host ${hostname}`;
    if (service !== null && service !== worker) return failure(name, `Belongs to the Worker ${service}`, command);
    if (service !== null && !hasCertificate) return failure(name, "Has no certificate", command);
    if (fault !== null) return failure(name, `Does not answer: ${fault}`, command);
    if (service !== null) return ok(name, "Leads to the Worker, with a certificate");
    return warning(name, "Answers, but is no custom domain of the Worker. A route does as well", command);
  });
}

/** @returns null where the setup would change the hosts: with it, live links are on the host of the API */
function domainsCommand(facts: RemoteFacts): string | null {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = facts.variables;
  const base = URL.parse(BASE_URL)?.host ?? "";
  if (SHORT_DOMAIN !== "" && SHORT_DOMAIN !== base) return null;
  const test = TEST_SHORT_DOMAIN === "" || TEST_SHORT_DOMAIN === base ? [] : [`--test-domain ${TEST_SHORT_DOMAIN}`];
  return setupCommand(facts, `--domain ${base}`, ...test);
}

/** The way to domains of customers, with certificates by Cloudflare for SaaS. */
function customersCheck(facts: RemoteFacts): Check {
  const { CF_ZONE_ID = "", CNAME_TARGET = "" } = facts.variables;
  const { fallbackOrigin: fallback, name: worker } = facts;
  const hasToken = facts.secrets.has("CF_API_TOKEN");
  if (CF_ZONE_ID === "" && !hasToken) return ok(CUSTOMERS, "Verified by DNS alone, without certificates");
  if (CF_ZONE_ID === "")
    return failure(CUSTOMERS, "CF_API_TOKEN is set, but CF_ZONE_ID is not", setVariable(facts, "CF_ZONE_ID"));
  if (!hasToken) {
    const command = `npx wrangler secret put CF_API_TOKEN --name ${worker}`;
    return failure(CUSTOMERS, "CF_ZONE_ID is set, but CF_API_TOKEN is not", command);
  }
  if (fallback instanceof Unreadable) return unreadable(CUSTOMERS, fallback);
  if (fallback === null) {
    const message = `The zone has no fallback origin, so they lead nowhere: name one at ${CUSTOMERS_GUIDE}`;
    return failure(CUSTOMERS, message, null);
  }
  if (fallback.status !== "active") {
    const message = `The fallback origin ${fallback.origin} is ${fallback.status}: look at ${CUSTOMERS_GUIDE}`;
    return warning(CUSTOMERS, message, null);
  }
  if (CNAME_TARGET !== "") return ok(CUSTOMERS, `Lead to ${CNAME_TARGET}, with certificates`);
  const message = "CNAME_TARGET is not set: they must lead to the zone's fallback origin";
  return warning(CUSTOMERS, message, setVariable(facts, "CNAME_TARGET"));
}

function imagesCheck({ bucket, images }: RemoteFacts): Check {
  if (images === null)
    return ok("images", `Served by the Worker, from ${bucket === null ? "objects" : `the bucket ${bucket}`}`);
  if (images instanceof Unreadable) return unreadable("images", images);
  const { url, status, missingHeaders } = images;
  const { hostname } = new URL(url);
  if (status !== 200) {
    const command = `npx wrangler r2 bucket domain add ${bucket ?? "BUCKET"} --domain ${hostname} --zone-id ZONE_ID`;
    return failure("images", `${url} answers ${status}`, command);
  }
  if (missingHeaders.length === 0) return ok("images", `Served by ${hostname}, with their headers`);
  const message = `${hostname} sends no ${missingHeaders.join(", ")}: add the zone's Transform Rules (Deploy, QR images)`;
  return warning("images", message, null);
}

function visitorsCheck(facts: RemoteFacts): Check {
  if (facts.hasSalts) return ok("visitors", "Unique visitors are counted");
  const message =
    "Unique visitors are not counted: the Worker is not bound to VISITOR_SALTS, a namespace of Workers KV";
  return warning("visitors", message, setupCommand(facts));
}

function signupsCheck(facts: RemoteFacts): Check {
  const { SIGNUPS: value = "" } = facts.variables;
  if (value === "open") return ok("sign-ups", "Open: everybody may make an account");
  if (value === "" || value === "closed") return ok("sign-ups", "Closed: the operator makes accounts");
  return warning("sign-ups", "SIGNUPS is neither open nor closed, so they are closed", setVariable(facts, "SIGNUPS"));
}
