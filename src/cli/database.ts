/**
 * The databases of the development server, for commands outside the Worker: opened by the runtime that `wrangler dev`
 * uses, and migrated. Buckets are opened in the same way.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import { HOME_DATABASE } from "../core/links/buckets.ts";
import type { LinksEnv } from "../store/directory/databases.ts";
import {
  LINK_DATABASES_MAX,
  otherDatabaseNames,
  parseDatabaseMap,
  spreadBuckets,
  unreachableProblem,
} from "../store/directory/database-map.ts";
import { pendingIn } from "../store/operators/migrations.ts";
import { watchedDatabase } from "../store/wrapped-databases.ts";
import { SetupError } from "./command.ts";
import { withPathsFrom } from "./deployment/config.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The data folder of `wrangler dev`. */
export function stateFolder(persistTo: string | undefined): string {
  return persistTo === undefined ? join(ROOT, ".wrangler/state") : resolve(persistTo);
}

/** Runs `work` on the development databases, migrating them first if needed, and always closes them. */
export async function withLocalDatabase<T>(
  persistTo: string | undefined,
  work: (databases: LinksEnv) => Promise<T>,
): Promise<T> {
  return withOpenDatabases(stateFolder(persistTo), async (databases, all) => {
    await migrateLocally(all);
    return work(databases);
  });
}

/** Runs `work` on the development databases without migrating them. @returns null if there are none */
export async function withLocalDatabaseAsItIs<T>(
  persistTo: string | undefined,
  work: (databases: LinksEnv) => Promise<T>,
): Promise<T | null> {
  const state = stateFolder(persistTo);
  return existsSync(join(state, "v3/d1")) ? withOpenDatabases(state, work) : null;
}

/** Runs `work` on a bucket of the development server, which is created on the first write. */
export function withLocalBucket<T>(
  persistTo: string | undefined,
  name: string,
  work: (bucket: R2Bucket) => Promise<T>,
): Promise<T> {
  const bound = { r2Buckets: { BUCKET: name } };
  return withBindings<{ BUCKET: R2Bucket }, T>(stateFolder(persistTo), bound, ({ BUCKET }) => work(BUCKET));
}

async function withOpenDatabases<T>(
  state: string,
  work: (databases: LinksEnv, all: readonly D1Database[]) => Promise<T>,
): Promise<T> {
  const setting = await linkDatabasesIn(state);
  // `wrangler dev` also names the files of a database without an ID by its binding.
  const d1Databases = [HOME_DATABASE, ...otherDatabaseNames(setting)];
  return withBindings<Record<string, D1Database>, T>(state, { d1Databases }, (opened) => {
    const repeated = Object.entries(opened).map(
      ([name, database]) => [name, watchedDatabase(database, repeat)] as const,
    );
    const databases = { ...Object.fromEntries(repeated), LINK_DATABASES: setting } as unknown as LinksEnv;
    const all = repeated.map(([, database]) => database);
    return work(databases, all);
  });
}

/** The table of wrangler, where the Worker looks for missing migrations. */
const MIGRATIONS_TABLE_SQL = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/**
 * Does what `wrangler d1 migrations apply --local` does, which needs a process and many seconds for each database. Each
 * migration is one transaction: an interrupted one starts over.
 * @internal
 */
export async function migrateLocally(databases: readonly D1Database[]): Promise<void> {
  await Promise.all(databases.map(migrate));
}

async function migrate(database: D1Database): Promise<void> {
  await database.prepare(MIGRATIONS_TABLE_SQL).run();
  for (const name of await pendingIn(database)) {
    // Each statement is on one line.
    const lines = (await readFile(join(ROOT, "migrations", name), "utf8")).trim().split("\n");
    const applied = database.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name);
    const statements = [...lines.map((line) => database.prepare(line)), applied];
    await database.batch(statements).catch(async (error: unknown) => {
      // Another process was first.
      if ((await pendingIn(database)).includes(name)) throw error;
    });
  }
}

/**
 * The local D1 ends every query, even a read, by writing a bookmark. SQLite refuses that write if the development
 * server is writing, or has written since the query began. The query is rolled back. A database that another process
 * opens or closes cannot be opened. The runtime reports both as internal errors.
 */
const REFUSED_WRITE = /internal error; reference|SQLITE_BUSY/;
/** Reported by a runtime that exits while it opens its files. With any other cause, it exits again when retried. */
const REFUSED_START = /ERR_RUNTIME_FAILURE|SQLITE_BUSY/;
const STARTS_MAX = 5;
const REPEATS_MAX = 400;
const REPEAT_AFTER_MS = 10;

async function repeat<T>(query: () => Promise<T>, refused = REFUSED_WRITE, repeatsLeft = REPEATS_MAX): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (repeatsLeft === 0 || !refused.test(String(error))) throw error;
    await sleep(Math.random() * REPEAT_AFTER_MS);
    return repeat(query, refused, repeatsLeft - 1);
  }
}

/** @param bound  databases or buckets by binding */
async function withBindings<Bindings, T>(
  state: string,
  bound: { d1Databases?: string[]; r2Buckets?: Record<string, string> },
  work: (bindings: Bindings) => Promise<T>,
): Promise<T> {
  // Imported here: it takes a while to load, and not every command needs it.
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const worker = { modules: true, script: "", cf: false, resourcePersistencePath: join(state, "v3") } as const;
  const options = convertV4MiniflareOptions({ ...worker, ...bound });
  const open = async () => {
    const runtime = new Miniflare(options);
    await runtime.ready;
    return runtime;
  };
  // The runtime does not start while another one writes to the same files.
  const runtime = await repeat(open, REFUSED_START, STARTS_MAX - 1);
  try {
    return await work(await runtime.getBindings<Bindings>());
  } finally {
    await runtime.dispose();
  }
}

const COMMITTED = join(ROOT, "wrangler.toml");
/**
 * The databases over which the server spreads links. Stored with its data: a command that used other databases would
 * find no links, and create them a second time.
 */
const FILE = "link-databases.json";

/** Environment variables: the number of databases, or the buckets in each. */
interface Wanted {
  DATABASES?: string | undefined;
  LINK_DATABASES?: string | undefined;
}

/** @returns the value of LINK_DATABASES; undefined if all links are in one database @internal */
export async function linkDatabasesIn(state: string): Promise<string | undefined> {
  return readFile(join(state, FILE), "utf8").catch(() => undefined);
}

/**
 * The setting for the server that starts: the wanted one, if the data allows it, or the data's own.
 * @throws SetupError if existing links would not be found
 */
export async function chooseLinkDatabases(state: string, wanted: Wanted): Promise<string | undefined> {
  const present = await linkDatabasesIn(state);
  const setting = wantedSetting(wanted);
  if (setting === undefined) return present;
  // Before the data is checked: reports an error in the setting itself.
  parseDatabaseMap(setting);
  if (existsSync(join(state, "v3/d1"))) requireFound(state, present, setting);
  await mkdir(state, { recursive: true });
  await writeFile(join(state, FILE), setting);
  return setting;
}

/** @throws SetupError */
function wantedSetting({ DATABASES, LINK_DATABASES }: Wanted): string | undefined {
  if (LINK_DATABASES) return LINK_DATABASES;
  if (!DATABASES) return undefined;
  const count = /^\d{1,2}$/.test(DATABASES) ? Number(DATABASES) : 0;
  if (count < 1 || count > LINK_DATABASES_MAX)
    throw new SetupError(`DATABASES must be a number from 1 to ${LINK_DATABASES_MAX}`);
  return spreadBuckets(count);
}

function requireFound(state: string, present: string | undefined, next: string): void {
  const problem = unreachableProblem(present, next);
  if (problem === null) return;
  throw new SetupError(
    `The links in ${state} are distributed differently: LINK_DATABASES ${problem}. To start with new data, choose another folder with --persist-to.`,
  );
}

/**
 * The configuration of the development server: the committed one or, if links are in several databases, one in this
 * folder that binds them all.
 * @param setting  LINK_DATABASES
 */
export async function developmentConfigPath(folder: string, setting: string | undefined): Promise<string> {
  if (setting === undefined) return COMMITTED;
  // Imported here: loading wrangler takes a second or two, and one database does not need it.
  const { experimental_readRawConfig: readRawConfig } = await import("wrangler");
  const { rawConfig } = readRawConfig({ config: COMMITTED });
  const path = join(folder, "wrangler.json");
  await mkdir(folder, { recursive: true });
  await writeFile(path, JSON.stringify(withDatabases(rawConfig, setting), null, 2));
  return path;
}

function withDatabases(committed: RawConfig, setting: string): RawConfig {
  const { d1_databases = [], vars } = committed;
  const others = otherDatabaseNames(setting).map((binding) => ({ binding, database_name: binding.toLowerCase() }));
  return withPathsFrom(ROOT, {
    ...committed,
    d1_databases: [...d1_databases, ...others],
    vars: { ...vars, LINK_DATABASES: setting },
  });
}
