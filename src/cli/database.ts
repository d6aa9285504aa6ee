/**
 * The databases of the development server, for commands outside the Worker: opened by the runtime that `wrangler dev`
 * uses, and migrated. Buckets are opened in the same way.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { HOME_DATABASE } from "../core/links/buckets.ts";
import type { LinksEnv } from "../store/directory/databases.ts";
import { otherDatabaseNames } from "../store/directory/database-map.ts";
import { pendingIn } from "../store/operators/migrations.ts";
import { watchedDatabase } from "../store/watched-database.ts";
import { linkDatabasesIn } from "./link-databases.ts";

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
 * opens or closes cannot be opened. The runtime reports both as internal errors. It also closes idle connections, which
 * a busy process notices only when its next request fails ("fetch failed"): that query was never read.
 */
const REFUSED_WRITE = /internal error; reference|SQLITE_BUSY|fetch failed/;
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
