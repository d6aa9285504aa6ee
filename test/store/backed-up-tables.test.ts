/** Every table of the database is either in a backup or listed with the reason why it is not. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { BACKED_UP_TABLES } from "../../src/store/backup/table-rows.ts";

/** Tables that D1 and SQLite use internally. */
const INTERNAL = /^(sqlite_|_cf_|d1_migrations)/;

/** Tables that are in no backup, with the reason. */
const OMITTED_TABLES: Readonly<Record<string, string>> = {
  alias_domains: "written by triggers of the links",
  account_copies: "each installation has its own databases",
  attempts: "sign-in attempts of the last hour",
  bulk_counts: "of the current day",
  challenges: "sign-ins that are under way",
  copy_checks: "each installation has its own databases",
  health_checks: "of this installation",
  image_releases: "images that are not in use when a backup is made are kept after a restore",
  idempotency: "responses of the last day",
  idempotency_counts: "of the current day",
  link_aliases: "written from the links, which name all aliases they ever had",
  link_counts: "counted from the links",
  link_outbox: "objects are restored in the state of their links",
  link_qr_counts: "counted from the codes",
  link_tags: "written by the trigger of the links",
  moved_buckets: "each installation has its own databases",
  operator_tokens: "they expire within hours",
  request_shares: "responses of the last day",
  restores: "of this installation",
  sessions: "people sign in again",
  stats_news: "the account's object is empty after a restore, and reads all clicks anew",
  slug_cases: "written by a trigger of the links",
  tags: "written by triggers of the links",
};

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
