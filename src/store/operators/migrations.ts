/**
 * The migrations that this code needs, and those that a database lacks. wrangler applies them and keeps their names in
 * a separate table.
 */
import {
  type LackingDatabase,
  migrationsProblem,
  type ServingProblem,
} from "../../core/deployment/deployment-problems.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { askNamedDatabases } from "../directory/directory.ts";
import { queryRows } from "../statements.ts";

/** The files of `migrations/`; a test compares the two. */
export const MIGRATIONS = ["0001_initial.sql"];

/** Returns the databases that lack migrations: none if each has all that this code needs, or more. */
export async function pendingMigrations(env: LinksEnv): Promise<LackingDatabase[]> {
  const databases = await askNamedDatabases(env, async (database, name) => ({
    database: name,
    pending: await pendingIn(database),
  }));
  return databases.filter(({ pending }) => pending.length > 0);
}

/** Returns pending migrations in their order. */
export async function pendingIn(database: D1Database): Promise<string[]> {
  const rows = queryRows<{ name: string }>(database, "SELECT name FROM d1_migrations", []);
  const results = await rows.catch((error: unknown) => {
    if (String(error).includes("no such table")) return [];
    throw error;
  });
  const applied = new Set(results.map(({ name }) => name));
  return MIGRATIONS.filter((name) => !applied.has(name));
}

/** @returns null when nothing is pending */
export async function findMigrationsProblem(env: LinksEnv): Promise<ServingProblem | null> {
  return migrationsProblem(await pendingMigrations(env), MIGRATIONS.length);
}
