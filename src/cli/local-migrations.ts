/**
 * Migrates databases of a local runtime like `wrangler d1 migrations apply --local`, and records it in wrangler's
 * table, where the Worker looks for missing ones. The command itself needs a process and many seconds per database.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const MIGRATIONS_PATH = resolve(import.meta.dirname, "../../migrations");

const MIGRATIONS_TABLE_SQL = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Applies a database's missing migrations, each in one transaction: an interrupted one starts over. */
export async function migrateLocally(databases: readonly D1Database[]): Promise<void> {
  const names = (await readdir(MIGRATIONS_PATH)).filter((file) => file.endsWith(".sql")).sort();
  const read = new Map<string, Promise<string[]>>();
  const queriesOf = (name: string) => {
    const queries = read.get(name) ?? readQueries(name);
    read.set(name, queries);
    return queries;
  };
  await Promise.all(databases.map((database) => migrate(database, names, queriesOf)));
}

async function migrate(
  database: D1Database,
  names: readonly string[],
  queriesOf: (name: string) => Promise<string[]>,
): Promise<void> {
  const lacking = await lackingIn(database, names);
  for (const name of lacking) {
    const applied = database.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name);
    const queries = await queriesOf(name);
    const statements = [...queries.map((query) => database.prepare(query)), applied];
    await database.batch(statements).catch(async (error: unknown) => {
      // Another process was first.
      if ((await lackingIn(database, [name])).length > 0) throw error;
    });
  }
}

async function lackingIn(database: D1Database, names: readonly string[]): Promise<string[]> {
  await database.prepare(MIGRATIONS_TABLE_SQL).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const known = new Set(results.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

async function readQueries(name: string): Promise<string[]> {
  // Imported here: loading wrangler takes a second or two.
  const { unstable_splitSqlQuery: splitSqlQuery } = await import("wrangler");
  return splitSqlQuery(await readFile(join(MIGRATIONS_PATH, name), "utf8"));
}
