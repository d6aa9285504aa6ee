/**
 * The databases over which a development server spreads links. The setting is stored with its data: a command that used
 * other databases would find no links, and create them a second time.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import {
  LINK_DATABASES_MAX,
  otherDatabaseNames,
  parseDatabaseMap,
  spreadBuckets,
  unreachableProblem,
} from "../store/directory/database-map.ts";
import { withPathsFrom } from "./deployment/config.ts";
import { SetupError } from "./deployment/setup-error.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const COMMITTED = join(ROOT, "wrangler.toml");
const FILE = "link-databases.json";

/** Environment variables: the number of databases, or the buckets in each. */
interface Wanted {
  DATABASES?: string | undefined;
  LINK_DATABASES?: string | undefined;
}

/** @returns the value of LINK_DATABASES; undefined if all links are in one database */
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
