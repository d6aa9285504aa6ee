/** The databases of a development server are migrated as by wrangler. */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";

import { withLocalDatabase, withLocalDatabaseAsItIs } from "../../src/cli/database.ts";
import type { LinksEnv } from "../../src/store/directory/databases.ts";
import { runWrangler } from "../../src/cli/wrangler.ts";

const TEST_TIMEOUT_MS = 120_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-migrations-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("wrangler finds no migrations left to apply", { timeout: TEST_TIMEOUT_MS }, async () => {
  const accounts = await withLocalDatabase(folder, ({ DB }) => DB.prepare("SELECT count(*) FROM accounts").raw());
  expect(accounts).toEqual([[0]]);
  const printed = await runWrangler(["d1", "migrations", "list", "DB", "--local", "--persist-to", folder]);
  expect(printed).toContain("No migrations to apply");
});

test("a database that another process holds for itself is waited for", { timeout: TEST_TIMEOUT_MS }, async () => {
  await withLocalDatabase(folder, ({ DB }) => DB.prepare("SELECT 1").raw());
  const [file = ""] = globSync(join(folder, "v3/d1/*/*.sqlite"), { exclude: (path) => path.includes("metadata") });
  // As a process does that recovers or removes the write-ahead log.
  const other = new DatabaseSync(file);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (a); ROLLBACK");
  const count = await withLocalDatabaseAsItIs(folder, async ({ DB }) => {
    const counted = DB.prepare("SELECT count(*) AS n FROM accounts").first("n");
    await Promise.race([counted, sleep(500)]).finally(() => other.close());
    return counted;
  });
  expect(count).toBe(0);
});

test("processes create the databases and write to them simultaneously", { timeout: TEST_TIMEOUT_MS }, async () => {
  const write = () =>
    withLocalDatabase(folder, async ({ DB }) => {
      const row = "INSERT INTO link_counts (account_id, links, made) VALUES (?1, 0, 0) ON CONFLICT DO NOTHING";
      await DB.prepare(row).bind("acc_1").run();
      const statement = DB.withSession("first-primary").prepare("UPDATE link_counts SET links = links + 1");
      for (let i = 0; i < 100; i++) await DB.batch([statement, statement]);
    });
  await Promise.all([write(), write(), write()]);
  const read = ({ DB }: LinksEnv) => DB.prepare("SELECT links FROM link_counts").first("links");
  expect(await withLocalDatabase(folder, read)).toBe(3 * 100 * 2);
});
