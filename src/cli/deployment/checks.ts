/** What `admin doctor` says of a deployment. Pure: facts in, checks out. */
import { setupCommand, setVariable, UPGRADE } from "./advice.ts";
import { accountsCheck, type Check, type Fact, failure, ifRead, ok, unreadable, Unreadable, warning } from "./check.ts";
import { customersCheck, type CustomersFacts } from "./customers-check.ts";
import { mainVersion, newVersion, type Deployment } from "./shares.ts";
import { partChecks, type VersionFacts, withHealth } from "./version-checks.ts";

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

export interface RemoteFacts extends VersionFacts, CustomersFacts {
  hasAccounts: Fact<boolean>;
  /** `auto` or `disabled`. */
  replication: Fact<string>;
  crons: Fact<string[]>;
  expectedCrons: string[];
  deployment: Fact<Deployment | null>;
  /** Hosts of its own; none on workers.dev. */
  hosts: Fact<HostFact[]>;
  /** Null where the Worker serves the images. */
  images: Fact<ImagesFact> | null;
}

const SIGNUPS = ["open", "closed"];

export function remoteChecks(facts: RemoteFacts): Check[] {
  return withHealth([...partChecks(facts), ...surroundingChecks(facts)], facts);
}

function surroundingChecks(facts: RemoteFacts): Check[] {
  return [
    ifRead("replication", facts.replication, (mode) => replicationCheck(mode, facts)),
    ifRead("cron jobs", facts.crons, (crons) => cronsCheck(crons, facts)),
    ifRead("version", facts.deployment, versionCheck),
    ...hostsChecks(facts),
    customersCheck(facts),
    imagesCheck(facts),
    visitorsCheck(facts),
    signupsCheck(facts),
    ifRead("accounts", facts.hasAccounts, (has) => accountsCheck(has, setupCommand(facts))),
  ];
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

function versionCheck(deployment: Deployment | null): Check {
  if (!deployment) return failure("version", "Nothing is deployed", "npm run setup");
  const [main, added] = [mainVersion(deployment), newVersion(deployment)];
  if (added === null) return ok("version", `${main} serves all visitors`);
  const share = deployment.versions.find(({ version_id }) => version_id === added)?.percentage;
  const message = `An upgrade is under way: ${added} serves ${share} % of the visitors`;
  return warning("version", message, `${UPGRADE} -- --continue, or npm run rollback`);
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

function visitorsCheck(facts: RemoteFacts): Check {
  if (facts.hasSalts) return ok("visitors", "Unique visitors are counted");
  const message =
    "Unique visitors are not counted: the Worker is not bound to VISITOR_SALTS, a namespace of Workers KV";
  return warning("visitors", message, setupCommand(facts));
}

function signupsCheck(facts: RemoteFacts): Check {
  const { SIGNUPS: value = "" } = facts.variables;
  if (value === "open") return ok("sign-ups", "Open: everybody may make an account");
  if (value === "" || SIGNUPS.includes(value)) return ok("sign-ups", "Closed: the operator makes accounts");
  return warning("sign-ups", "SIGNUPS is neither open nor closed, so they are closed", setVariable(facts, "SIGNUPS"));
}
