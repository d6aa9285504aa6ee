/**
 * Configuration files. The committed `wrangler.toml` is never changed. `npm run setup` writes one per installation into
 * `.wrangler/deployments`, which the other commands for a deployment read.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { experimental_readRawConfig as readRawConfig, type Unstable_RawConfig as RawConfig } from "wrangler";

import { SetupError } from "../command.ts";
import { deploymentConfig, type Installation } from "./config.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const COMMITTED = join(ROOT, "wrangler.toml");
const FOLDER = join(ROOT, ".wrangler/deployments");
const SUFFIX = ".json";

export function committedConfig(): RawConfig {
  return readRawConfig({ config: COMMITTED }).rawConfig;
}

/** @param url  where the installation serves @returns the path of the file */
export function writeDeploymentConfig(installation: Installation, url: string): string {
  const config = deploymentConfig(committedConfig(), installation);
  const file = fileOf(installation.name);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(urlFileOf(file), `${url}\n`);
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
  return file;
}

/**
 * The configuration of the installation that a command works on: the one named in `DEPLOYMENT`, or the only one, or the
 * committed one if `npm run setup` never ran.
 * @throws SetupError if there are several and none is named
 */
export function deploymentConfigPath(wanted = process.env.DEPLOYMENT): string {
  const known = installations();
  if (wanted !== undefined && !known.includes(wanted))
    throw new SetupError(`DEPLOYMENT=${wanted} is not set up here. Run \`npm run setup -- --name ${wanted}\` first.`);
  if (wanted === undefined && known.length > 1)
    throw new SetupError(`There are several deployments. Set DEPLOYMENT to one of ${known.join(", ")}.`);
  const name = wanted ?? known[0];
  return name === undefined ? COMMITTED : fileOf(name);
}

/** The URL at which the installation of a configuration serves, if `npm run setup` created it. */
export function deploymentUrl(config: string): string | null {
  const file = urlFileOf(config);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}

/** @returns id of the account to which a Worker was deployed from here; null if `npm run setup` never ran */
export function accountOf(name: string): string | null {
  const file = fileOf(name);
  return existsSync(file) ? (readRawConfig({ config: file }).rawConfig.account_id ?? null) : null;
}

/** Deletes the file that `npm run setup` has written for an installation. */
export function forgetDeployment(name: string): void {
  for (const file of [fileOf(name), urlFileOf(fileOf(name))]) rmSync(file, { force: true });
}

function urlFileOf(config: string): string {
  return config.replace(/\.\w+$/, ".url");
}

/**
 * The name of the Worker that a command works on.
 * @throws SetupError if there are several and none is named
 */
export function deploymentName(wanted: string | undefined): string {
  if (wanted !== undefined) return wanted;
  const { name = "" } = readRawConfig({ config: deploymentConfigPath() }).rawConfig;
  return name;
}

function installations(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
}

function fileOf(name: string): string {
  return join(FOLDER, name + SUFFIX);
}
