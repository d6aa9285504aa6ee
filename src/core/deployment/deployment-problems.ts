/**
 * Problems that keep a deployment from serving, worded for its operator, and parts that it serves without but that its
 * operators may want to add. Pure. The messages are public: they name settings, migrations and commands, never a value.
 */
import type { ErrorCode } from "../errors.ts";
import { hostnameOf, type Hosts } from "../hosts.ts";
import { HOME_DATABASE } from "../links/buckets.ts";
import { isWorkersDev } from "./settings.ts";

export interface DeploymentProblem {
  code: string;
  message: string;
  /** The command that the operator should run; null if none helps. */
  command: string | null;
}

/** A problem because of which requests are refused. */
export interface ServingProblem extends DeploymentProblem {
  code: Extract<ErrorCode, "misconfigured" | "not_migrated" | "unavailable">;
}

/**
 * Creates whatever a deployment lacks, and prints the URL for creating the first account. It can be run again at any
 * time.
 */
export const SETUP_COMMAND = "npm run setup";

export const NO_ACCOUNT: DeploymentProblem = {
  code: "no_account",
  message: "No account exists yet",
  command: SETUP_COMMAND,
};

export const DATABASE_UNAVAILABLE: ServingProblem = {
  code: "unavailable",
  message: "The database does not respond",
  command: null,
};

/** A database, by its binding, with the names of its missing migrations. */
export interface LackingDatabase {
  database: string;
  pending: readonly string[];
}

/** @param known  number of existing migrations */
export function migrationsProblem(lacking: readonly LackingDatabase[], known: number): ServingProblem | null {
  if (lacking.length === 0) return null;
  const message = lacking.map((one) => lackText(one, known)).join("; ");
  return { code: "not_migrated", message, command: SETUP_COMMAND };
}

function lackText({ database, pending }: LackingDatabase, known: number): string {
  const name = database === HOME_DATABASE ? "The database" : `The database ${database}`;
  return pending.length === known ? `${name} has no tables yet` : `${name} lacks ${pending.join(", ")}`;
}

export function problemText({ message, command }: Omit<DeploymentProblem, "code">): string {
  return command === null ? message : `${message}: ${command}`;
}

export const OPTIONAL_PARTS = ["short_domain", "bucket"] as const;
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

export function missingParts({ shortDomains }: Pick<Hosts, "shortDomains">, hasBucket: boolean): OptionalPart[] {
  const isMissing = { short_domain: isWorkersDev(hostnameOf(shortDomains.live)), bucket: !hasBucket };
  return OPTIONAL_PARTS.filter((part) => isMissing[part]);
}
