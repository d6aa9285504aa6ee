/** Says to people what went wrong and what to do next. Pure. */
import { CommanderError } from "@commander-js/extra-typings";

import { HoplinkConnectionError, HoplinkError } from "../errors.ts";
import { Failure } from "./failure.ts";
import { visibleText } from "./terminal/visible-text.ts";

/** Lines, of which the first is what went wrong. What the service or a proxy sent is made harmless for a terminal. */
export function errorLines(error: unknown): string[] {
  // Commander has printed it.
  if (error instanceof CommanderError) return [];
  const lines = [...messagesOf(error), ...adviceOn(error), ...requestOf(error)];
  return lines.map(visibleText);
}

function messagesOf(error: unknown): string[] {
  // The message itself is about one, and counts the others.
  if (error instanceof HoplinkError && error.errors.length > 1) return error.errors.map(({ message }) => message);
  return [error instanceof Error ? error.message : String(error)];
}

function adviceOn(error: unknown): string[] {
  if (error instanceof Failure) return error.advice ? [error.advice] : [];
  if (error instanceof HoplinkConnectionError) return ["Check the address and your connection."];
  if (!(error instanceof HoplinkError)) return [];
  const advice = ADVICE[error.code]?.(error);
  if (advice) return [advice];
  return error.retryAfter === undefined ? [] : [tryAgainIn(error.retryAfter)];
}

const SIGN_IN = "Sign in with a key that works: hoplink login";

const ADVICE: Readonly<Record<string, (error: HoplinkError) => string>> = {
  missing_api_key: () => SIGN_IN,
  invalid_api_key: () => SIGN_IN,
  insufficient_scope: ({ param = "needed" }) =>
    `The key lacks the scope ${param}. Make one that has it in the dashboard, under Settings → API keys, then: hoplink login`,
  slug_taken: () => "Choose another slug.",
  precondition_failed: () => "Somebody changed the link. Look at it with hoplink links get, then try again.",
  quota_exceeded: () => "hoplink whoami shows what the plan allows, and how much of it is used.",
  too_many_intervals: () => "Take a longer interval or a shorter range: --interval week, --from 30d",
  unexpected_response: () => "Is this the address of the service? hoplink profiles shows it.",
};

function tryAgainIn(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 120 ? `Try again in ${whole} s.` : `Try again in ${Math.ceil(whole / 60)} minutes.`;
}

/** Of a fault of the service its operator wants to know it. */
function requestOf(error: unknown): string[] {
  if (!(error instanceof HoplinkError) || error.status < 500 || !error.requestId) return [];
  return [`Request ${error.requestId}`];
}
