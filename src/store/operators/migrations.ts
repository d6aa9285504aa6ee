/**
 * The migrations that this code needs, and which of them a database lacks. wrangler applies them and keeps their names in a
 * table of its own.
 */
import { type LackingDatabase, migrationsProblem, type ServingProblem } from "../../core/deployment-problems.ts";
import { type LinksEnv, namedDatabases } from "../links/links-database.ts";

/** The files of `migrations/`; a test compares the two. */
export const MIGRATIONS = [
  "0001_accounts_keys_links.sql",
  "0002_qr_codes.sql",
  "0003_feeds.sql",
  "0004_sign_in.sql",
  "0005_domains.sql",
  "0006_account_states.sql",
  "0007_link_outbox.sql",
  "0008_hostname_releases.sql",
  "0009_quotas.sql",
  "0010_qr_codes_of_a_link.sql",
  "0011_links_on_domains.sql",
  "0012_link_members.sql",
  "0013_qr_codes_by_link.sql",
  "0014_operators.sql",
  "0015_restores.sql",
  "0016_case_sensitive_domains.sql",
  "0017_link_revisions.sql",
  "0018_tags.sql",
  "0019_account_statistics.sql",
  "0020_link_databases.sql",
  "0021_erased_from_statistics.sql",
  "0022_home_copies.sql",
  "0023_spelling_of_tags.sql",
  "0024_account_facts.sql",
  "0025_bulk_counts.sql",
];

/** The databases that lack migrations: none when each has all that this code needs, and perhaps those of a later release. */
export async function pendingMigrations(env: LinksEnv): Promise<LackingDatabase[]> {
  const databases = namedDatabases(env).map(async ([name, database]) => ({
    database: name,
    pending: await pendingIn(database),
  }));
  return (await Promise.all(databases)).filter(({ pending }) => pending.length > 0);
}

/** In their order. */
export async function pendingIn(database: D1Database): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT name FROM d1_migrations")
    .all<{ name: string }>()
    .catch((error: unknown) => {
      if (String(error).includes("no such table")) return { results: [] };
      throw error;
    });
  const applied = new Set(results.map(({ name }) => name));
  return MIGRATIONS.filter((name) => !applied.has(name));
}

/** @returns null when nothing is pending */
export async function findMigrationsProblem(env: LinksEnv): Promise<ServingProblem | null> {
  return migrationsProblem(await pendingMigrations(env), MIGRATIONS.length);
}
