/**
 * The configuration of the development server: the committed one or, if links are in several databases, one stored with
 * the data that binds them all.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import { otherDatabaseNames } from "../store/directory/database-map.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const COMMITTED = join(ROOT, "wrangler.toml");

/**
 * @param folder  where the file is written
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

/** Paths are absolute, because wrangler resolves them from the file's folder. */
function withDatabases(committed: RawConfig, setting: string): RawConfig {
  const { main = "", assets, d1_databases = [], vars } = committed;
  const others = otherDatabaseNames(setting).map((binding) => ({ binding, database_name: binding.toLowerCase() }));
  return {
    ...committed,
    main: join(ROOT, main),
    ...(assets && { assets: { ...assets, directory: join(ROOT, assets.directory ?? "") } }),
    d1_databases: [...d1_databases, ...others].map((one) => ({ ...one, migrations_dir: join(ROOT, "migrations") })),
    vars: { ...vars, LINK_DATABASES: setting },
  };
}
