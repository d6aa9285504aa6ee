/** What `admin doctor` says of a deployment. Pure: facts in, checks out. */
import { settingsProblem } from "../../core/settings.ts";
import {
  accountsCheck,
  type Check,
  type Fact,
  failure,
  HEALTH,
  healthChecks,
  ifRead,
  ok,
  type Part,
  pendingCheck,
  unreadable,
  Unreadable,
  warning,
} from "./check.ts";
import { mainVersion, newVersion, type Deployment } from "./shares.ts";

/** What the Worker is bound to, or should be. Rate limits have a namespace. */
export interface BindingFact {
  name: string;
  namespace_id?: string | undefined;
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

export interface RemoteFacts {
  /** Of the Worker. */
  name: string;
  /** Whether commands work on another Worker unless they are told its name. */
  isNamed: boolean;
  variables: Record<string, string>;
  secrets: ReadonlySet<string>;
  bindings: BindingFact[];
  expectedBindings: BindingFact[];
  migrationTag: string | null;
  /** Of this release, the newest last. */
  knownTags: string[];
  pending: Fact<string[]>;
  hasAccounts: Fact<boolean>;
  /** `auto` or `disabled`. */
  replication: Fact<string>;
  crons: Fact<string[]>;
  expectedCrons: string[];
  deployment: Fact<Deployment | null>;
  /** Hosts of its own; none on workers.dev. */
  hosts: Fact<HostFact[]>;
  bucket: string | null;
  /** Null where the Worker serves the images. */
  images: Fact<ImagesFact> | null;
  health: Fact<Part[]>;
}

const UPGRADE = "npm run upgrade";
const SIGNUPS = ["open", "closed"];
/** Secrets are never read back; whether this one is long enough is told by the deployment itself. */
const UNKNOWN_SECRET = "?".repeat(64);

export function remoteChecks(facts: RemoteFacts): Check[] {
  const own = ownChecks(facts);
  const told = new Set(own.filter(({ level }) => level !== "ok").map(({ name }) => `${HEALTH}: ${name}`));
  const health = healthChecks(facts.health, `npx wrangler tail ${facts.name}`);
  return [...own, ...health.filter(({ name }) => !told.has(name))];
}

function ownChecks(facts: RemoteFacts): Check[] {
  return [
    bindingsCheck(facts),
    settingsCheck(facts),
    ifRead("migrations", facts.pending, (pending) => pendingCheck(pending, UPGRADE)),
    ifRead("replication", facts.replication, (mode) => replicationCheck(mode, facts)),
    ifRead("cron jobs", facts.crons, (crons) => cronsCheck(crons, facts)),
    objectsCheck(facts),
    ifRead("version", facts.deployment, versionCheck),
    rateLimitsCheck(facts),
    ...hostsChecks(facts),
    customersCheck(facts),
    imagesCheck(facts),
    signupsCheck(facts),
    ifRead("accounts", facts.hasAccounts, (has) => accountsCheck(has, setupCommand(facts))),
  ];
}

function bindingsCheck(facts: RemoteFacts): Check {
  const bound = new Set(facts.bindings.map(({ name }) => name));
  const missing = facts.expectedBindings.map(({ name }) => name).filter((name) => !bound.has(name));
  if (missing.length === 0) return ok("bindings", `All ${facts.expectedBindings.length} are there`);
  return failure("bindings", `The Worker is not bound to ${missing.join(", ")}`, setupCommand(facts));
}

function settingsCheck(facts: RemoteFacts): Check {
  const { variables, secrets, name } = facts;
  const secret = secrets.has("BETTER_AUTH_SECRET") ? UNKNOWN_SECRET : "";
  const problem = settingsProblem({ ...variables, BETTER_AUTH_SECRET: secret });
  if (!problem) return ok("settings", "The secret is set, the variables are right");
  const [variable = "NAME"] = /[A-Z]+(?:_[A-Z]+)+/.exec(problem.message) ?? [];
  const command = problem.command === null ? setVariable(facts, variable) : `${problem.command} --name ${name}`;
  return failure("settings", problem.message, command);
}

function replicationCheck(mode: string, facts: RemoteFacts): Check {
  if (mode === "auto") return ok("replication", "Reads are served near visitors");
  return warning("replication", "Read replication is off: every read goes to one place", setupCommand(facts));
}

function cronsCheck(crons: readonly string[], facts: RemoteFacts): Check {
  const missing = facts.expectedCrons.filter((cron) => !crons.includes(cron));
  if (missing.length === 0) return ok("cron jobs", `All ${facts.expectedCrons.length} are set`);
  const lines = missing.map((cron) => `“${cron}”`).join(", ");
  return failure("cron jobs", `Missing: ${lines}. Nothing is cleared or delivered without them`, setupCommand(facts));
}

function objectsCheck({ migrationTag, knownTags }: RemoteFacts): Check {
  const newest = knownTags.at(-1) ?? null;
  if (migrationTag === newest) return ok("objects", `Their classes are those of this release, ${newest}`);
  if (migrationTag !== null && !knownTags.includes(migrationTag))
    return warning("objects", `Their classes are of a later release, ${migrationTag}`, "git pull && npm ci");
  return warning("objects", `Their classes are of an earlier release, ${migrationTag ?? "none"}`, UPGRADE);
}

function versionCheck(deployment: Deployment | null): Check {
  if (!deployment) return failure("version", "Nothing is deployed", "npm run setup");
  const [main, added] = [mainVersion(deployment), newVersion(deployment)];
  if (added === null) return ok("version", `${main} serves all visitors`);
  const share = deployment.versions.find(({ version_id }) => version_id === added)?.percentage;
  const message = `An upgrade is under way: ${added} serves ${share} % of the visitors`;
  return warning("version", message, `${UPGRADE} -- --continue, or npm run rollback`);
}

/** Workers with the same namespace count their requests together. */
function rateLimitsCheck({ bindings, expectedBindings }: RemoteFacts): Check {
  const foreign = expectedBindings.filter(({ name, namespace_id: wanted }) => {
    const present = bindings.find((binding) => binding.name === name)?.namespace_id;
    return wanted !== undefined && present !== undefined && present !== wanted;
  });
  if (foreign.length === 0) return ok("rate limits", "Their namespaces are this deployment's own");
  const names = foreign.map(({ name }) => name).join(", ");
  return warning("rate limits", `${names}: another deployment may count with the same namespace`, UPGRADE);
}

function hostsChecks(facts: RemoteFacts): Check[] {
  const { hosts } = facts;
  if (hosts instanceof Unreadable) return [unreadable("hosts", hosts)];
  if (hosts.length === 0) return [ok("hosts", "It serves at its address below workers.dev")];
  return hosts.map((host) => hostCheck(host, facts.name, domainsCommand(facts)));
}

/** @returns null where the setup would change the hosts: with it, live links are on the host of the API */
function domainsCommand(facts: RemoteFacts): string | null {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = facts.variables;
  const base = URL.parse(BASE_URL)?.host ?? "";
  if (SHORT_DOMAIN !== "" && SHORT_DOMAIN !== base) return null;
  const test = TEST_SHORT_DOMAIN === "" || TEST_SHORT_DOMAIN === base ? [] : [`--test-domain ${TEST_SHORT_DOMAIN}`];
  return setupCommand(facts, `--domain ${base}`, ...test);
}

function hostCheck(
  { hostname, service, hasCertificate, fault }: HostFact,
  worker: string,
  command: string | null,
): Check {
  const name = `host ${hostname}`;
  if (service !== null && service !== worker) return failure(name, `Belongs to the Worker ${service}`, command);
  if (service !== null && !hasCertificate) return failure(name, "Has no certificate", command);
  if (fault !== null) return failure(name, `Does not answer: ${fault}`, command);
  if (service === null)
    return warning(name, "Answers, but is no custom domain of the Worker. A route does as well", command);
  return ok(name, "Leads to the Worker, with a certificate");
}

/** Domains of customers, with certificates by Cloudflare for SaaS. */
function customersCheck(facts: RemoteFacts): Check {
  const name = "customers' domains";
  const { CF_ZONE_ID = "", CNAME_TARGET = "" } = facts.variables;
  const hasToken = facts.secrets.has("CF_API_TOKEN");
  if (CF_ZONE_ID === "" && !hasToken) return ok(name, "Verified by DNS alone, without certificates");
  if (CF_ZONE_ID === "")
    return failure(name, "CF_API_TOKEN is set, but CF_ZONE_ID is not", setVariable(facts, "CF_ZONE_ID"));
  if (!hasToken)
    return failure(
      name,
      "CF_ZONE_ID is set, but CF_API_TOKEN is not",
      `npx wrangler secret put CF_API_TOKEN --name ${facts.name}`,
    );
  if (CNAME_TARGET !== "") return ok(name, `Lead to ${CNAME_TARGET}, with certificates`);
  const message = "CNAME_TARGET is not set: they must lead to the zone's fallback origin";
  return warning(name, message, setVariable(facts, "CNAME_TARGET"));
}

function imagesCheck({ bucket, images }: RemoteFacts): Check {
  if (images === null)
    return ok("images", `Served by the Worker, from ${bucket === null ? "objects" : `the bucket ${bucket}`}`);
  if (images instanceof Unreadable) return unreadable("images", images);
  const { url, status, missingHeaders } = images;
  const { hostname } = new URL(url);
  if (status !== 200)
    return failure(
      "images",
      `${url} answers ${status}`,
      `npx wrangler r2 bucket domain add ${bucket ?? "BUCKET"} --domain ${hostname} --zone-id ZONE_ID`,
    );
  if (missingHeaders.length === 0) return ok("images", `Served by ${hostname}, with their headers`);
  const message = `${hostname} sends no ${missingHeaders.join(", ")}: add the zone's Transform Rules (Deploy, QR images)`;
  return warning("images", message, null);
}

function signupsCheck(facts: RemoteFacts): Check {
  const { SIGNUPS: value = "" } = facts.variables;
  if (value === "open") return ok("sign-ups", "Open: everybody may make an account");
  if (value === "" || SIGNUPS.includes(value)) return ok("sign-ups", "Closed: the operator makes accounts");
  return warning("sign-ups", "SIGNUPS is neither open nor closed, so they are closed", setVariable(facts, "SIGNUPS"));
}

function setVariable(facts: RemoteFacts, variable: string): string {
  return setupCommand(facts, `--var ${variable}:VALUE`);
}

function setupCommand({ name, isNamed }: RemoteFacts, ...options: string[]): string {
  const all = [...(isNamed ? [`--name ${name}`] : []), ...options];
  return ["npm run setup", ...(all.length === 0 ? [] : ["--", ...all])].join(" ");
}
