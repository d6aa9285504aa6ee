/** Every table of the database is either in a backup or named with the reason why it is not. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { BACKED_UP_TABLES, OMITTED_TABLES } from "../../src/store/backup/backed-up-tables.ts";

/** What D1 and SQLite keep for themselves. */
const INTERNAL = /^(sqlite_|_cf_|d1_migrations)/;

test("every table is in a backup, or has a reason not to be", async () => {
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
    name: string;
  }>();
  const tables = results.map(({ name }) => name).filter((name) => !INTERNAL.test(name));
  expect([...Object.keys(BACKED_UP_TABLES), ...Object.keys(OMITTED_TABLES)].sort()).toEqual(tables.sort());
});

test.each(Object.entries(BACKED_UP_TABLES))("%s is read by its primary key", async (table, backedUp) => {
  const { results } = await env.DB.prepare("SELECT name, pk FROM pragma_table_info(?1)").bind(table).all<{
    name: string;
    pk: number;
  }>();
  const key = results.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  expect(backedUp.key).toEqual(key.map(({ name }) => name));
  expect(backedUp.hasCreationTime).toBe(
    results.some(({ name }) => name === "created_at") && !["credentials", "passkeys"].includes(table),
  );
});
