/** schema.sql equals the result of the migrations. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

/** Statements without comments and layout. */
function statements(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((statement) =>
      statement
        .replaceAll(/\s+/g, " ")
        .replaceAll(/\s*([(),])\s*/g, "$1")
        .trim(),
    )
    .filter((statement) => statement !== "")
    .sort();
}

/** Tables that D1 and SQLite use internally. */
const INTERNAL = /^(sqlite_|_cf_|d1_migrations)/;

test("schema.sql has every table and index of the migrated database, and no more", async () => {
  const { results } = await env.DB.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all<{
    name: string;
    sql: string;
  }>();
  const migrated = results.filter(({ name }) => !INTERNAL.test(name)).map(({ sql }) => sql);
  expect(statements(env.TEST_SCHEMA)).toEqual(statements(migrated.join(";\n")));
});

test("every table is STRICT, and every time column names its unit", () => {
  const tables = env.TEST_SCHEMA.match(/^CREATE TABLE [^]*?;$/gm) ?? [];
  expect(tables.length).toBeGreaterThan(0);
  for (const table of tables) {
    expect(table).toMatch(/\) STRICT, WITHOUT ROWID;$/);
    for (const line of table.match(/^.*_(at|on) INTEGER.*$/gm) ?? []) expect(line).toMatch(/-- (epoch ms|days)/);
  }
});
