/**
 * The databases of the development server, for commands outside the Worker: opened by the runtime that `wrangler dev`
 * uses. Buckets are opened in the same way.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type LinksEnv } from "../store/directory/databases.ts";
import { otherDatabaseNames } from "../store/directory/database-map.ts";
import { developmentConfigPath } from "./development-config.ts";
import { linkDatabasesIn } from "./link-databases.ts";
import { migrateLocally } from "./local-migrations.ts";

const DEFAULT_STATE_PATH = resolve(import.meta.dirname, "../../.wrangler/state");
/** The binding: the database's name differs between installations. */
const DATABASE_BINDING = "DB";

/** The data folder of `wrangler dev`. */
export function stateFolder(persistTo: string | undefined): string {
  return persistTo === undefined ? DEFAULT_STATE_PATH : resolve(persistTo);
}

/** Runs `work` on the development databases, migrating them first if needed, and always closes them. */
export async function withLocalDatabase<T>(
  persistTo: string | undefined,
  work: (databases: LinksEnv) => Promise<T>,
): Promise<T> {
  const state = stateFolder(persistTo);
  const names = [DATABASE_BINDING, ...otherDatabaseNames(await linkDatabasesIn(state))];
  return withOpenDatabases(state, async (databases) => {
    const byName = databases as unknown as Record<string, D1Database>;
    await migrateLocally(names.flatMap((name) => byName[name] ?? []));
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
  const binding = { r2_buckets: [{ binding: "BUCKET", bucket_name: name }] };
  return withBindings<{ BUCKET: R2Bucket }, T>(stateFolder(persistTo), binding, ({ BUCKET }) => work(BUCKET));
}

async function withOpenDatabases<T>(state: string, work: (databases: LinksEnv) => Promise<T>): Promise<T> {
  const setting = await linkDatabasesIn(state);
  // The whole configuration would start every binding; this needs only the databases.
  const { d1_databases, vars } = await configurationAt(await developmentConfigPath(state, setting));
  return withBindings<LinksEnv, T>(state, { d1_databases, vars }, (bindings) => {
    const databases = new Set<string>(d1_databases.map(({ binding }: { binding: string }) => binding));
    const repeated = Object.entries(bindings).map(([name, bound]) => [
      name,
      databases.has(name) ? repeatRefused(bound as D1Database) : bound,
    ]);
    return work(Object.fromEntries(repeated) as LinksEnv);
  });
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

function repeatRefused(database: D1Database): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const repeated = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      all: () => repeat(() => original.all()),
      run: () => repeat(() => original.run()),
      raw: () => repeat(() => original.raw()),
      first: (column?: string) => repeat(() => (column === undefined ? original.first() : original.first(column))),
    } as D1PreparedStatement;
    originals.set(repeated, original);
    return repeated;
  };
  const batch = (statements: D1PreparedStatement[]) =>
    repeat(() => database.batch(statements.map((repeated) => originals.get(repeated) ?? repeated)));
  const prepare = (sql: string) => statement(database.prepare(sql));
  const repeated = { prepare, batch, withSession: () => repeated };
  return repeated as unknown as D1Database;
}

async function configurationAt(config: string) {
  // Imported here: loading wrangler takes a second or two, and not every command needs it.
  const { unstable_readConfig: readConfig } = await import("wrangler");
  return readConfig({ config });
}

/** @param bindings  as in a configuration */
async function withBindings<Bindings extends object, T>(
  state: string,
  bindings: object,
  work: (bindings: Bindings) => Promise<T>,
): Promise<T> {
  const { getPlatformProxy } = await import("wrangler");
  const { compatibility_date } = await configurationAt(await developmentConfigPath(state, undefined));
  const folder = await mkdtemp(join(tmpdir(), "hoplink-"));
  try {
    const configPath = join(folder, "wrangler.json");
    await writeFile(configPath, JSON.stringify({ name: "hoplink", compatibility_date, ...bindings }));
    const open = () => getPlatformProxy<Bindings>({ configPath, persist: { path: join(state, "v3") } });
    // The runtime does not start while another one writes to the same files.
    const proxy = await repeat(open, REFUSED_START, STARTS_MAX - 1);
    try {
      return await work(proxy.env);
    } finally {
      await proxy.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
