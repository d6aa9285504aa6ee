/** Statements with named parameters, run by D1. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { prepareNamed } from "../../src/store/named-statement.ts";

const SQL = "SELECT :first AS first, :second AS second, :first AS again, length(:key) AS bytes";

test("each value is bound to its name, whatever the order, also where a name stands twice", async () => {
  const values = { key: new Uint8Array(3), second: null, first: "one", unused: 7 };
  const row = await prepareNamed(env.DB, SQL, values).first();
  expect(row).toEqual({ first: "one", second: null, again: "one", bytes: 3 });
});

test("a parameter without a value is refused by its name", () => {
  expect(() => prepareNamed(env.DB, SQL, { first: "one", key: "k" })).toThrow("no value for the parameter second");
});
