/** What the command ends with, for scripts. The guide has the same table (`src/docs/cli.md`); a test compares them. */
import { CommanderError } from "@commander-js/extra-typings";

import { HoplinkError } from "../errors.ts";
import { Failure } from "./failure.ts";

export const EXIT_CODES = {
  ok: { code: 0, when: "It is done." },
  failed: { code: 1, when: "The service refused it, or something else went wrong." },
  usage: { code: 2, when: "The command was not given as it must be." },
  not_allowed: { code: 3, when: "You are not signed in, or the key may not do this." },
  not_found: { code: 4, when: "There is no such link." },
  conflict: { code: 5, when: "Somebody changed it meanwhile, or the slug is taken." },
  changes: { code: 6, when: "`hoplink plan --exit-code` has found changes." },
  interrupted: { code: 130, when: "You pressed Ctrl-C." },
} as const;

export type Outcome = keyof typeof EXIT_CODES;

const BY_STATUS: Readonly<Record<number, Outcome>> = {
  401: "not_allowed",
  403: "not_allowed",
  404: "not_found",
  409: "conflict",
  412: "conflict",
};

export function exitCodeOf(error: unknown): number {
  return EXIT_CODES[outcomeOf(error)].code;
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Failure) return error.outcome;
  if (error instanceof CommanderError) return error.exitCode === 0 ? "ok" : "usage";
  // Another site answers 404 to everything: that is no missing link.
  if (!(error instanceof HoplinkError) || error.code === "unexpected_response") return "failed";
  return BY_STATUS[error.status] ?? "failed";
}
