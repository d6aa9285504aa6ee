/**
 * Rows of links for tests inside workerd, in whichever databases they are: with `DATABASES=4`, and in the project
 * `databases`, links are spread over four. A test that reads or changes rows of links by SQL uses these functions, so
 * that it passes with one database as with four. Data that exists only in the home database is accessed by `env.DB`.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { copyDueAccounts, newVersionsStatement } from "../../src/store/directory/home-copies.ts";
import { linkDatabases, type LinkKey, type LinksEnv, linksDatabase } from "../../src/store/directory/databases.ts";
import { spreadBuckets } from "../../src/store/directory/database-map.ts";

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;

const OTHERS = ["LINKS_1", "LINKS_2", "LINKS_3"] as const;
/** Every database that can have links in tests. */
const ALL = ["DB", ...OTHERS] as const;

/** Creates the tables of the databases other than `DB`. */
export async function migrateOtherDatabases(): Promise<void> {
  await Promise.all(OTHERS.map((name) => applyD1Migrations(env[name], env.TEST_MIGRATIONS)));
}

/**
 * Bindings whose links are spread over `DB`, `LINKS_1`, `LINKS_2` and `LINKS_3`, 256 buckets in each, for a test of
 * several databases in the project `worker`. Objects have their own bindings, with all links in `DB`: the project
 * `databases` tests what they read of links.
 */
export async function fourDatabases(): Promise<typeof env> {
  await migrateOtherDatabases();
  return { ...env, LINK_DATABASES: spreadBuckets(ALL.length) };
}

/** The database that has the row of a link. */
export function databaseOfLink(on: LinksEnv, link: LinkKey): D1Database {
  return linksDatabase(on, link);
}

/** Rows of link tables, database by database. */
export async function queryLinks<Row = Record<string, unknown>>(
  on: LinksEnv,
  sql: string,
  ...values: SqlValue[]
): Promise<Row[]> {
  const queries = linkDatabases(on).map((database) =>
    database
      .prepare(sql)
      .bind(...values)
      .all<Row>(),
  );
  return (await Promise.all(queries)).flatMap(({ results }) => results);
}

/** The sum of a number that the query returns as `n`, such as a count. */
export async function sumOfLinks(on: LinksEnv, sql: string, ...values: SqlValue[]): Promise<number> {
  const rows = await queryLinks<{ n: number | null }>(on, sql, ...values);
  return rows.reduce((sum, { n }) => sum + (n ?? 0), 0);
}

/** Changes rows wherever they are. @returns their number */
export async function changeLinks(on: LinksEnv, sql: string, ...values: SqlValue[]): Promise<number> {
  const changes = linkDatabases(on).map((database) =>
    database
      .prepare(sql)
      .bind(...values)
      .run(),
  );
  return (await Promise.all(changes)).reduce((sum, { meta }) => sum + meta.changes, 0);
}

/** Changes rows of the home database of which the others have copies, and copies them. */
export async function changeHomeRows(
  on: LinksEnv,
  accountIds: readonly string[],
  sql: string,
  ...values: SqlValue[]
): Promise<void> {
  const statement = on.DB.prepare(sql).bind(...values);
  await on.DB.batch(
    linkDatabases(on).length > 1 ? [statement, newVersionsStatement(on, accountIds, null)] : [statement],
  );
  while ((await copyDueAccounts(on, accountIds.length)) > 0);
}

/** The same bindings with every database that can have links replaced, such as by one that fails or counts. */
export function withDatabases<Bindings extends Env>(
  on: Bindings,
  replaced: (database: D1Database, name: string) => D1Database,
): Bindings {
  const names: readonly string[] = ALL;
  const bindings = Object.entries(on).map(([name, binding]: [string, unknown]) => [
    name,
    names.includes(name) ? replaced(binding as D1Database, name) : binding,
  ]);
  return Object.fromEntries(bindings) as Bindings;
}
