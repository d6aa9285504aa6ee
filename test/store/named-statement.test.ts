/** Statements with named parameters, run by D1. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { jsonTexts, prepareNamed } from "../../src/store/statements.ts";

const SQL = "SELECT :first AS first, :second AS second, :first AS again, length(:key) AS bytes";

test("each value is bound to its name in any order, even if a name occurs twice", async () => {
  const values = { key: new Uint8Array(3), second: null, first: "one", unused: 7 };
  const row = await prepareNamed(env.DB, SQL, values).first();
  expect(row).toEqual({ first: "one", second: null, again: "one", bytes: 3 });
});

test("a missing value is reported with the parameter's name", () => {
  expect(() => prepareNamed(env.DB, SQL, { first: "one", key: "k" })).toThrow("no value for the parameter second");
});

/** Limit on a value that is bound to a statement. */
const D1_VALUE_MAX_BYTES = 2_000_000;

test.each([
  ["none", [], 0],
  ["few", [["a", 1, null], ["b"]], 1],
  ["long ones", Array.from({ length: 100 }, (_, i) => [i, "漢".repeat(20_000)]), 4],
  ["one long row", [["x".repeat(1_500_000)], ["y"]], 2],
])("%s", (_, rows: unknown[], count) => {
  const texts = jsonTexts(rows);
  expect(texts).toHaveLength(count);
  expect(texts.flatMap((text) => JSON.parse(text) as unknown[])).toEqual(rows);
  for (const text of texts) expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(D1_VALUE_MAX_BYTES);
});
