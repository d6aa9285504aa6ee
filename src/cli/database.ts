/**
 * The database for commands outside the Worker: the development one, opened by the runtime that `wrangler dev` uses, or
 * the deployed one, through `wrangler d1 execute --remote`. Both implement the part of D1's interface that the store's
 * functions for operators use. Buckets of the development server are opened in the same way.
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

/** Runs `work` on a bucket of the development server, which is made when it is written to. */
export function withLocalBucket<T>(
  persistTo: string | undefined,
  name: string,
  work: (bucket: R2Bucket) => Promise<T>,
): Promise<T> {
  const binding = { r2_buckets: [{ binding: "BUCKET", bucket_name: name }] };
  return withBindings<{ BUCKET: R2Bucket }, T>(stateFolder(persistTo), binding, ({ BUCKET }) => work(BUCKET));
}

async function withOpenDatabase<T>(state: string, work: (database: Database) => Promise<T>): Promise<T> {
  // The whole configuration would start every binding; this needs only one.
  const { d1_databases } = await developmentConfig();
  return withBindings(state, { d1_databases }, work);
}

async function developmentConfig() {
  // Imported here: loading wrangler takes a second or two, and not every command needs it.
  const { unstable_readConfig: readConfig } = await import("wrangler");
  return readConfig({ config: CONFIG_PATH });
}

/** @param bindings  as in a configuration */
async function withBindings<Bindings extends object, T>(
  state: string,
  bindings: object,
  work: (bindings: Bindings) => Promise<T>,
): Promise<T> {
  const { getPlatformProxy } = await import("wrangler");
  const { compatibility_date } = await developmentConfig();
  const folder = await mkdtemp(join(tmpdir(), "hoplink-"));
  try {
    const configPath = join(folder, "wrangler.json");
    await writeFile(configPath, JSON.stringify({ name: "hoplink", compatibility_date, ...bindings }));
    const proxy = await getPlatformProxy<Bindings>({ configPath, persist: { path: join(state, "v3") } });
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
