/** Operator tokens: the stored data, their validity by time and purpose, and their number. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import {
  isOperatorToken,
  issueOperatorToken,
  OPERATOR_TOKENS_MAX,
  sweepOperatorTokens,
} from "../../../src/store/operators/operator-tokens.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.now();

async function storedTokens(): Promise<string> {
  const { results } = await env.DB.prepare("SELECT hex(token_hash) AS hash, * FROM operator_tokens").all();
  return JSON.stringify(results);
}

async function countOf(purpose: string): Promise<number | null> {
  const count = env.DB.prepare("SELECT count(*) AS n FROM operator_tokens WHERE purpose = ?1").bind(purpose);
  return count.first<number>("n");
}

test("a token is valid for its purpose only, until it expires, and only its digest is stored", async () => {
  const token = await issueOperatorToken(env, "operator", HOUR_MS, NOW);
  expect(token).toMatch(/^opr_[\w-]{43}$/);
  expect(await isOperatorToken(env, token, "operator", NOW + HOUR_MS - 1)).toBe(true);
  expect(await isOperatorToken(env, token, "operator", NOW + HOUR_MS)).toBe(false);
  expect(await isOperatorToken(env, token, "setup", NOW)).toBe(false);
  expect(await storedTokens()).not.toContain(token);
});

test.each([
  ["", "nothing"],
  ["opr_", "no secret"],
  [`opr_${"A".repeat(43)}`, "another secret"],
  [`opr_${"A".repeat(44)}`, "one character more"],
  [`svc_${"A".repeat(43)}`, "another prefix"],
  [`opr_${"A".repeat(100_000)}`, "a long text"],
  [`opr_${"A".repeat(42)}\n`, "a line break"],
])("%j is not a token: %s", async (text) => {
  await issueOperatorToken(env, "operator", HOUR_MS, NOW);
  expect(await isOperatorToken(env, text, "operator", NOW)).toBe(false);
});

test("a token that differs from a valid one by a single character, or in case, is not valid", async () => {
  const token = await issueOperatorToken(env, "operator", HOUR_MS, NOW);
  const last = token.endsWith("A") ? "B" : "A";
  expect(await isOperatorToken(env, token.slice(0, -1) + last, "operator", NOW)).toBe(false);
  expect(await isOperatorToken(env, token.slice(1), "operator", NOW)).toBe(false);
  expect(await isOperatorToken(env, token.toUpperCase(), "operator", NOW)).toBe(false);
});

test("a new setup token ends the previous one, and no operator's", async () => {
  const operator = await issueOperatorToken(env, "operator", HOUR_MS, NOW);
  const first = await issueOperatorToken(env, "setup", HOUR_MS, NOW);
  const second = await issueOperatorToken(env, "setup", HOUR_MS, NOW);
  expect(await isOperatorToken(env, first, "setup", NOW)).toBe(false);
  expect(await isOperatorToken(env, second, "setup", NOW)).toBe(true);
  expect(await isOperatorToken(env, operator, "operator", NOW)).toBe(true);
  expect(await countOf("setup")).toBe(1);
});

test("their number is bounded: the oldest ends first", async () => {
  const tokens: string[] = [];
  for (let i = 0; i < OPERATOR_TOKENS_MAX + 1; i++) {
    tokens.push(await issueOperatorToken(env, "operator", HOUR_MS, NOW + i));
  }
  const valid = await Promise.all(tokens.map((token) => isOperatorToken(env, token, "operator", NOW)));
  expect(valid).toEqual([false, ...Array<boolean>(OPERATOR_TOKENS_MAX).fill(true)]);
  expect(await countOf("operator")).toBe(OPERATOR_TOKENS_MAX);
});

test("expired ones are swept, and deleted when one is issued", async () => {
  await issueOperatorToken(env, "operator", HOUR_MS, NOW - 2 * HOUR_MS);
  const before = await countOf("operator");
  await sweepOperatorTokens(env);
  expect(await countOf("operator")).toBe((before ?? 0) - 1);
  await issueOperatorToken(env, "setup", HOUR_MS, NOW - 2 * HOUR_MS);
  await issueOperatorToken(env, "operator", HOUR_MS, NOW);
  expect(await countOf("setup")).toBe(0);
});
