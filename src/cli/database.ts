/**
 * The database for commands outside the Worker: the development one, opened by the runtime that `wrangler dev` uses, or
 * the deployed one, through `wrangler d1 execute --remote`. Both implement the part of D1's interface that the store's
 * functions for operators use.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { databaseOver } from "./cloudflare/remote-database.ts";
import { deploymentConfigPath } from "./deployment/config-file.ts";
import { runWrangler } from "./wrangler.ts";

const CONFIG_PATH = resolve(import.meta.dirname, "../../wrangler.toml");
const MIGRATIONS_PATH = resolve(import.meta.dirname, "../../migrations");
const DEFAULT_STATE_PATH = resolve(import.meta.dirname, "../../.wrangler/state");
/** The binding: what the database is called is up to the installation. */
const DATABASE_BINDING = "DB";

type Database = Pick<Env, "DB">;

/** The folder of the data of `wrangler dev`. */
export function stateFolder(persistTo: string | undefined): string {
  return persistTo === undefined ? DEFAULT_STATE_PATH : resolve(persistTo);
}

/** Runs `work` on the development database, migrated first if needed, and always closes it. */
export async function withLocalDatabase<T>(
  persistTo: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const state = stateFolder(persistTo);
  // `wrangler d1 migrations apply` takes seconds even when nothing is to be done, so it runs only when a migration is
  // missing.
  const migrated = async (database: Database) =>
    (await lacksMigrations(database)) ? null : { done: await work(database) };
  const first = existsSync(join(state, "v3/d1")) ? await withOpenDatabase(state, migrated) : null;
  if (first) return first.done;
  await migrate(state);
  return withOpenDatabase(state, work);
}

/** Runs `work` on the development database as it is. @returns null where there is none */
export async function withLocalDatabaseAsItIs<T>(
  persistTo: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T | null> {
  const state = stateFolder(persistTo);
  return existsSync(join(state, "v3/d1")) ? withOpenDatabase(state, work) : null;
}

async function migrate(state: string): Promise<void> {
  const command = ["d1", "migrations", "apply", DATABASE_BINDING, "--local"];
  await runWrangler([...command, "--persist-to", state, "--config", CONFIG_PATH]);
}

async function lacksMigrations({ DB }: Database): Promise<boolean> {
  const applied = await DB.prepare("SELECT name FROM d1_migrations")
    .all<{ name: string }>()
    .catch(() => ({ results: [] }));
  const names = new Set(applied.results.map(({ name }) => name));
  return (await readdir(MIGRATIONS_PATH)).some((name) => name.endsWith(".sql") && !names.has(name));
}

async function withOpenDatabase<T>(state: string, work: (database: Database) => Promise<T>): Promise<T> {
  // Imported here: loading wrangler takes a second or two, and not every command needs it.
  const { getPlatformProxy, unstable_readConfig: readConfig } = await import("wrangler");
  const folder = await mkdtemp(join(tmpdir(), "hoplink-"));
  try {
    // The whole configuration would start every binding; this needs only one.
    const { d1_databases, compatibility_date } = readConfig({ config: CONFIG_PATH });
    const configPath = join(folder, "wrangler.json");
    await writeFile(configPath, JSON.stringify({ name: "hoplink", compatibility_date, d1_databases }));
    const proxy = await getPlatformProxy<Database>({ configPath, persist: { path: join(state, "v3") } });
    try {
      return await work(proxy.env);
    } finally {
      await proxy.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The deployed database. Each statement or batch is one `wrangler d1 execute --remote`. */
export function remoteDatabase(): Database {
  return databaseOver(executeRemote);
}

async function executeRemote(sql: string): Promise<D1Result[]> {
  const printed = await runWrangler([
    "d1",
    "execute",
    DATABASE_BINDING,
    "--remote",
    "--yes",
    "--json",
    "--command",
    sql,
    "--config",
    deploymentConfigPath(),
  ]);
  return JSON.parse(printed) as D1Result[];
}
