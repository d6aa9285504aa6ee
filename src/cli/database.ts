/**
 * The database for commands outside the Worker: the development one, opened by the same runtime as `wrangler dev`,
 * or the deployed one, through `wrangler d1 execute --remote`. Both serve the store's functions.
 */
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy, unstable_readConfig as readConfig } from "wrangler";

import { runWrangler } from "./wrangler.ts";

const CONFIG = resolve(import.meta.dirname, "../../wrangler.toml");
const MIGRATIONS = resolve(import.meta.dirname, "../../migrations");
const DEFAULT_STATE = resolve(import.meta.dirname, "../../.wrangler/state");
const DATABASE = "hoplink";

type Database = Pick<Env, "DB">;
type Value = string | number | null | Uint8Array;

/** Where `wrangler dev` keeps its data. */
export function stateFolder(persistTo: string | undefined): string {
  return persistTo === undefined ? DEFAULT_STATE : resolve(persistTo);
}

/** Works on the development database, once it has every migration, and closes it whatever happens. */
export async function withLocalDatabase<T>(
  persistTo: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const state = stateFolder(persistTo);
  // Wrangler's own command takes seconds to find that there is nothing to do: it is run when there is.
  const migrated = async (database: Database) => ((await lacks(database)) ? null : { done: await work(database) });
  const first = existsSync(join(state, "v3/d1")) ? await opened(state, migrated) : null;
  if (first) return first.done;
  await migrate(state);
  return opened(state, work);
}

async function migrate(state: string): Promise<void> {
  const command = ["d1", "migrations", "apply", DATABASE, "--local"];
  await runWrangler([...command, "--persist-to", state, "--config", CONFIG]);
}

/** Whether a migration is missing. */
async function lacks({ DB }: Database): Promise<boolean> {
  const applied = await DB.prepare("SELECT name FROM d1_migrations")
    .all<{ name: string }>()
    .catch(() => ({ results: [] }));
  const names = new Set(applied.results.map(({ name }) => name));
  return (await readdir(MIGRATIONS)).some((name) => name.endsWith(".sql") && !names.has(name));
}

async function opened<T>(state: string, work: (database: Database) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hoplink-"));
  try {
    // The whole configuration would start every binding; this command needs one.
    const { d1_databases, compatibility_date } = readConfig({ config: CONFIG });
    const configPath = join(folder, "wrangler.json");
    await writeFile(configPath, JSON.stringify({ name: DATABASE, compatibility_date, d1_databases }));
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

/** The deployed database: one `wrangler d1 execute --remote` for each statement. */
export function remoteDatabase(): Database {
  const prepare = (sql: string) => statement(sql, []);
  // D1 runs the statements of one command as a batch: all of them, or none.
  const batch = (statements: Statement[]) => executeRemote(statements.map(({ sql }) => sql).join(";\n"));
  // Serves the parts of D1Database that the store's functions for operators use.
  return { DB: { prepare, batch } as unknown as D1Database };
}

type Statement = ReturnType<typeof statement>;

function statement(template: string, values: Value[]) {
  const sql = inlined(template, values);
  const all = async () => resultOf(await executeRemote(sql));
  return {
    sql,
    bind: (...bound: Value[]) => statement(template, bound),
    all,
    run: all,
    first: async () => (await all()).results[0] ?? null,
  };
}

function resultOf([result]: D1Result[]): D1Result {
  if (!result) throw new Error("the database gave no answer");
  return result;
}

async function executeRemote(sql: string): Promise<D1Result[]> {
  const printed = await runWrangler([
    "d1",
    "execute",
    DATABASE,
    "--remote",
    "--yes",
    "--json",
    "--command",
    sql,
    "--config",
    CONFIG,
  ]);
  return JSON.parse(printed) as D1Result[];
}

/** Wrangler's command takes no parameters, so they become literals: quoted, or hexadecimal, or plain numbers. */
export function inlined(sql: string, values: readonly Value[]): string {
  return sql.replace(/\?(\d+)/g, (_, index: string) => literal(values[Number(index) - 1] ?? null));
}

function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return `X'${Buffer.from(value).toString("hex")}'`;
}
