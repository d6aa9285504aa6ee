/**
 * The format of operator's tokens: `opr_` and 256 random bits in base 64 for URLs. One for the purpose `setup` makes
 * the first account; one for `operator` reads the deployment's health; one for `backup` reads and restores all of its data.
 * Pure: stores nothing and does not verify (store/operators/operator-tokens.ts).
 */
import { HOUR_MS } from "./durations.ts";

export type OperatorTokenPurpose = "setup" | "operator" | "backup";

export const OPERATOR_TOKEN_BYTES = 32;
export const SETUP_TOKEN_TTL_MS = HOUR_MS;
/** Thirty days. */
export const OPERATOR_TOKEN_HOURS_MAX = 720;

const TOKEN_PATTERN = /^opr_[\w-]{43}$/;

/** @param bytes  `OPERATOR_TOKEN_BYTES` random bytes */
export function newOperatorToken(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return `opr_${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Whether a text has the shape of a token, so that anything else costs no look-up. */
export function looksLikeOperatorToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/**
 * Where the first account is made. The token is in the fragment, which browsers send to no server: no log and no
 * referrer has it.
 */
export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/dashboard/setup#token=${token}`;
}
