/**
 * What keeps a deployment from serving, in words for its operator. Pure. The messages are public: they name settings,
 * migrations and commands, never a value.
 */
import type { ErrorCode } from "./errors.ts";

export interface DeploymentProblem {
  code: string;
  message: string;
  /** What the operator runs; null where no command helps. */
  command: string | null;
}

/** One that requests are refused with. */
export interface ServingProblem extends DeploymentProblem {
  code: Extract<ErrorCode, "misconfigured" | "not_migrated" | "unavailable">;
}

/**
 * Makes what is missing in a deployment, and prints the address where the first account is made. It may be run again at
 * any time.
 */
export const SETUP_COMMAND = "npm run setup";

export const NO_ACCOUNT: DeploymentProblem = {
  code: "no_account",
  message: "There is no account yet",
  command: SETUP_COMMAND,
};

export const DATABASE_UNAVAILABLE: ServingProblem = {
  code: "unavailable",
  message: "The database does not answer",
  command: null,
};

/**
 * @param pending  names of the migrations that the database lacks
 * @param known  how many migrations there are
 */
export function migrationsProblem(pending: readonly string[], known: number): ServingProblem | null {
  if (pending.length === 0) return null;
  const isEmpty = pending.length === known;
  const message = isEmpty ? "The database has no tables yet" : `The database lacks ${pending.join(", ")}`;
  return { code: "not_migrated", message, command: SETUP_COMMAND };
}

export function problemText({ message, command }: Omit<DeploymentProblem, "code">): string {
  return command === null ? message : `${message}: ${command}`;
}
