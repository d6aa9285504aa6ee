/** What `admin doctor` says of a version of the Worker: also of one that few visitors get yet. Pure: facts in, checks out. */
import type { LackingDatabase } from "../../core/deployment/deployment-problems.ts";
import { settingsProblem } from "../../core/settings.ts";
import {
  type Check,
  type Fact,
  failure,
  HEALTH,
  healthChecks,
  ifRead,
  ok,
  type Part,
  pendingCheck,
  warning,
} from "./check.ts";
import { setupCommand, setVariable, UPGRADE, type WorkerFacts } from "./advice.ts";

/** What the Worker is bound to, or should be. Rate limits have a namespace. */
export interface BindingFact {
  name: string;
  namespace_id?: string | undefined;
}

export interface VersionFacts extends WorkerFacts {
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

/** Secrets are never read back; whether this one is long enough is told by the deployment itself. */
const UNKNOWN_SECRET = "?".repeat(64);

export function versionChecks(facts: VersionFacts): Check[] {
  return withHealth(partChecks(facts), facts);
}

export function partChecks(facts: VersionFacts): Check[] {
  return [
    bindingsCheck(facts),
    settingsCheck(facts),
    ifRead("migrations", facts.pending, (lacking) => pendingCheck(lacking, UPGRADE)),
    objectsCheck(facts),
    rateLimitsCheck(facts),
  ];
}

/** What its health says, unless a check has said it. */
export function withHealth(own: Check[], { health, name: worker }: VersionFacts): Check[] {
  const told = new Set(own.filter(({ level }) => level !== "ok").map(({ name }) => `${HEALTH}: ${name}`));
  const parts = healthChecks(health, `npx wrangler tail ${worker}`);
  return [...own, ...parts.filter(({ name }) => !told.has(name))];
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
