/** Errors of the command: exit codes and messages. Pure. */
import { CommanderError } from "@commander-js/extra-typings";

import { HoplinkConnectionError, HoplinkError } from "../errors.ts";
import { visibleText } from "./terminal-text.ts";

/** The command itself failed: states the problem and the fix. Errors of the service are `HoplinkError`. */
export class Failure extends Error {
  readonly outcome: Outcome;
  readonly advice: string | undefined;

  constructor(message: string, outcome: Outcome = "failed", advice?: string) {
    super(message);
    this.outcome = outcome;
    this.advice = advice;
  }
}

export function usageFailure(message: string, advice?: string): Failure {
  return new Failure(message, "usage", advice);
}

/** For `catch`. The system's message may not name the file, or may name a temporary one. */
export function cannotWrite(path: string): (error: Error) => never {
  return ({ message }) => {
    throw new Failure(`Cannot write ${path}: ${message}`);
  };
}

/** For stdout. A reader that has enough, such as `head`, closes the pipe. */
export function cannotPrint({ code, message }: NodeJS.ErrnoException): Failure {
  return new Failure(`Cannot write the output: ${message}`, code === "EPIPE" ? "ok" : "failed");
}

export function interrupted(): Failure {
  return new Failure("Interrupted", "interrupted");
}

/** Exit codes, for scripts. `src/docs/cli.md` has the same table; a test compares them. */
export const EXIT_CODES = {
  ok: { code: 0, when: "The command succeeded." },
  failed: { code: 1, when: "The service rejected the request, or another error occurred." },
  usage: { code: 2, when: "An argument or option is missing or invalid." },
  not_allowed: { code: 3, when: "You are not signed in, or the key is invalid or lacks a scope." },
  not_found: { code: 4, when: "The link, domain or QR code was not found." },
  conflict: { code: 5, when: "The link was changed by someone else, or the slug is taken." },
  changes: { code: 6, when: "`hoplink plan --exit-code` found changes." },
  interrupted: { code: 130, when: "The command was interrupted by Ctrl-C or a signal." },
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
  // A 404 from another site does not mean that the link is missing.
  if (!(error instanceof HoplinkError) || error.code === "unexpected_response") return "failed";
  return BY_STATUS[error.status] ?? "failed";
}

/** The problem first, then the fix, as lines. Control characters from the service or a proxy are escaped. */
export function errorLines(error: unknown): string[] {
  // Commander has already printed it.
  if (error instanceof CommanderError) return [];
  const lines = [...messagesOf(error), ...adviceOn(error), ...requestOf(error)];
  return lines.map(visibleText);
}

function messagesOf(error: unknown): string[] {
  // The message describes only one of the errors and counts the others.
  if (error instanceof HoplinkError && error.errors.length > 1) return error.errors.map(({ message }) => message);
  return [plainMessage(error)];
}

/** Without the counts of a limit on bulk requests, in which a password counts as ten links: commands send them. */
export function plainMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ in bulk requests\. Counted .*$/s, ".");
}

function adviceOn(error: unknown): string[] {
  if (error instanceof Failure) return error.advice ? [error.advice] : [];
  if (error instanceof HoplinkConnectionError) return ["Check the address of the service and your connection."];
  if (!(error instanceof HoplinkError)) return [];
  const advice = ADVICE[error.code]?.(error);
  if (advice) return [advice];
  return error.retryAfter === undefined ? [] : [tryAgainIn(error.retryAfter)];
}

const SIGN_IN = "To sign in with a valid key, run: hoplink login";

const ADVICE: Readonly<Record<string, (error: HoplinkError) => string>> = {
  missing_api_key: () => SIGN_IN,
  invalid_api_key: () => SIGN_IN,
  insufficient_scope: ({ param = "required for this" }) =>
    `The key lacks the scope ${param}. Create a key that has it in the dashboard under Settings → API keys, then run: hoplink login`,
  slug_taken: () => "Choose another slug.",
  precondition_failed: () => "Someone else changed the link. Review it with hoplink links get, then try again.",
  quota_exceeded: () => "To see the limits of your plan and your usage, run: hoplink whoami",
  too_many_intervals: () => "Use a longer interval or a shorter range, such as --interval week or --from 30d.",
  unexpected_response: () => "Check the address of the service. To list your profiles, run: hoplink profiles",
};

function tryAgainIn(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 120) return `Try again in ${whole} s.`;
  return whole < 7_200
    ? `Try again in ${Math.ceil(whole / 60)} minutes.`
    : `Try again in ${Math.ceil(whole / 3_600)} hours.`;
}

/** Operators need the request's id to investigate an internal error. */
function requestOf(error: unknown): string[] {
  if (!(error instanceof HoplinkError) || error.status < 500 || !error.requestId) return [];
  return [`Request ID: ${error.requestId}`];
}
