/** A deployment's files, migrations and uploads of its Worker, with wrangler. */
import { Buffer } from "node:buffer";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { DAY_MS } from "../../core/time.ts";
import { SetupError } from "../command.ts";
import { runWrangler } from "../wrangler.ts";
import type { Installation } from "./config.ts";
import { writeDeploymentConfig } from "./config-file.ts";
import type { Dialog } from "./dialog.ts";
import { type HostReply, requestHost } from "./host-request.ts";

const ASSETS = resolve(import.meta.dirname, "../../../dist/dashboard/assets");
const SECRET_BYTES = 32;
export const MIGRATIONS_FOLDER = resolve(import.meta.dirname, "../../../migrations");
/** D1's API could not execute SQL, perhaps because it has split a statement incorrectly. */
const SQL_FAILED_CODE = "code: 7500";
/** The error for CPU limits on the Free plan. */
const NO_LIMITS_CODE = "code: 100328";
/** The schedules follow the upload. While an account exceeds its plan, it accepts no others, not even fewer. */
const CRONS_FULL_CODE = "code: 10072";
const CRONS_FULL =
  "The Worker is deployed, but its two cron triggers are not: the Workers Free plan allows five per account. Remove cron triggers of other Workers or upgrade to the Workers Paid plan, then run the command again.";

/** Builds the dashboard and the documentation, and keeps the files of earlier releases that the deployment serves. */
export async function prepareFiles(baseUrl: string | null, skipBuild: boolean, dialog: Dialog): Promise<void> {
  if (!skipBuild) {
    // The bundlers take a while to load.
    const build = async () => (await import("../build-site.ts")).buildSite();
    await dialog.step("Dashboard and documentation", build, "built");
  }
  if (baseUrl !== null)
    await dialog.tolerate("open dashboard pages must be reloaded", () => keepAssets(ASSETS, baseUrl, Date.now()));
}

export async function migrate(
  config: string,
  databases: readonly { binding: string }[],
  dialog: Dialog,
): Promise<void> {
  const apply = async () => {
    const ways = new Set<string>();
    for (const { binding } of databases) {
      try {
        await runWrangler(["d1", "migrations", "apply", binding, "--remote", "--config", config]);
        ways.add("query");
      } catch (error) {
        if (!String(error).includes(SQL_FAILED_CODE)) throw error;
        await importMigrations(config, binding).catch((second: unknown) => {
          throw new SetupError(`${String(error)}\nThe import also failed:\n${String(second)}`);
        });
        ways.add("import");
      }
    }
    return [...ways].join(" and ");
  };
  await dialog.step("Migrations", apply, (ways) => `applied by ${ways}`);
}

/**
 * Applies a database's missing migrations with D1's import, which parses SQL: `migrations apply` leaves the splitting
 * to the API, which has split triggers incorrectly (https://github.com/cloudflare/workers-sdk/issues/15690).
 * During the import, the database is unavailable. Each file is one transaction with its row of wrangler's table.
 */
async function importMigrations(config: string, binding: string): Promise<void> {
  const execute = (...what: string[]) =>
    runWrangler(["d1", "execute", binding, "--remote", "--yes", "--json", "--config", config, ...what]);
  const answer = await execute("--command", "SELECT name FROM d1_migrations");
  const [applied] = JSON.parse(answer) as [{ results: { name: string }[] }];
  const known = new Set(applied.results.map(({ name }) => name));
  const lacking = readdirSync(MIGRATIONS_FOLDER).filter((file) => file.endsWith(".sql") && !known.has(file));
  for (const name of lacking.sort()) {
    await withFolder(async (folder) => {
      const sql = readFileSync(join(MIGRATIONS_FOLDER, name), "utf8");
      const file = join(folder, name);
      writeFileSync(file, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`);
      await execute("--file", file);
    });
  }
}

/**
 * Deploys with limits of CPU time, or without them if the plan allows none.
 * @param url  where the installation serves
 * @param withSecret  whether to include a new secret for sessions
 */
export async function deploy(installation: Installation, url: string, withSecret: boolean): Promise<void> {
  const command = ["deploy", "--config", writeDeploymentConfig(installation, url)];
  try {
    if (withSecret) await withSecretsFile((file) => runWrangler([...command, "--secrets-file", file]));
    else await runWrangler(command);
  } catch (error) {
    if (String(error).includes(CRONS_FULL_CODE)) throw new SetupError(CRONS_FULL);
    if (!installation.hasPaidPlan || !String(error).includes(NO_LIMITS_CODE)) throw error;
    await deploy({ ...installation, hasPaidPlan: false }, url, withSecret);
  }
}

/**
 * Uploads a version that no visitor gets yet. Secrets and variables are those of the previous version.
 * @param message  stored with the version
 * @returns its id
 */
export async function uploadVersion(config: string, message: string): Promise<string> {
  return withFolder(async (folder) => {
    const output = join(folder, "output.ndjson");
    const command = ["versions", "upload", "--config", config, "--message", message];
    await runWrangler(command, { WRANGLER_OUTPUT_FILE_PATH: output });
    const lines = readFileSync(output, "utf8").trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line) as { type: string; version_id?: string });
    const id = entries.find(({ type }) => type === "version-upload")?.version_id;
    if (!id) throw new Error("wrangler did not report which version it uploaded");
    return id;
  });
}

/** The secret is never an argument, which other users of the machine can read. */
function withSecretsFile(work: (file: string) => Promise<unknown>): Promise<void> {
  return withFolder(async (folder) => {
    const file = join(folder, "secrets.json");
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
    writeFileSync(file, JSON.stringify({ BETTER_AUTH_SECRET: secret }), { mode: 0o600, flag: "wx" });
    await work(file);
  });
}

/** A folder that is removed even if Ctrl-C ends the process. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-deploy-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await work(folder);
  } finally {
    remove();
    process.off("exit", remove);
  }
}

interface Release {
  /** ISO 8601. */
  built_at: string;
  files: string[];
}

/** Number of previous releases whose files are kept, and for how long. @internal */
export const RELEASES_KEPT_MAX = 5;
/** @internal */
export const RELEASES_KEPT_DAYS = 30;

const LIST = "releases.json";
const DOWNLOADS_AT_ONCE = 8;
/** A file name from Vite, not a path. */
const FILE_NAME = /^\w[\w.~-]{0,250}$/;

/**
 * Between build and deployment: copies the dashboard's files of the last releases from the running deployment into the
 * build, because a deployment replaces all static assets. Pages that were opened before can still load theirs. Each
 * release lists its files in `dashboard/assets/releases.json`.
 * @param folder  of the built assets
 * @param baseUrl  of the running deployment
 * @param now  epoch ms
 * @returns the number of copied files
 * @internal
 */
export async function keepAssets(folder: string, baseUrl: string, now: number): Promise<number> {
  const built = await builtRelease(folder, now);
  const kept = releasesToKeep(built, await deployedReleases(baseUrl), now);
  const present = new Set(await readdir(folder));
  const missing = [...new Set(kept.flatMap(({ files }) => files))].filter((name) => !present.has(name));
  for (let i = 0; i < missing.length; i += DOWNLOADS_AT_ONCE) {
    await Promise.all(missing.slice(i, i + DOWNLOADS_AT_ONCE).map((name) => download(baseUrl, folder, name)));
  }
  await writeFile(join(folder, LIST), JSON.stringify([built, ...kept]));
  return missing.length;
}

/** The list already exists if the same build is deployed again. */
async function builtRelease(folder: string, now: number): Promise<Release> {
  const [listed] = await readFile(join(folder, LIST), "utf8").then(parseReleases, () => []);
  return listed ?? { built_at: new Date(now).toISOString(), files: (await readdir(folder)).sort() };
}

/** Newest first. */
function releasesToKeep(built: Release, deployed: readonly Release[], now: number): Release[] {
  return deployed
    .filter(({ files }) => files.join() !== built.files.join())
    .filter(({ built_at }) => now - Date.parse(built_at) < RELEASES_KEPT_DAYS * DAY_MS)
    .slice(0, RELEASES_KEPT_MAX);
}

/** None before the first deployment, which responds with 404. */
async function deployedReleases(baseUrl: string): Promise<Release[]> {
  const response = await fetchAsset(baseUrl, LIST);
  if (response.status === 404) return [];
  if (response.status !== 200) throw new Error(`${LIST} returned ${response.status}`);
  return parseReleases(response.body);
}

function parseReleases(text: string): Release[] {
  const releases = JSON.parse(text) as Release[];
  const names = releases.flatMap(({ files }) => files);
  const wrong = names.find((name) => !FILE_NAME.test(name));
  if (wrong !== undefined) throw new Error(`${LIST} contains ${JSON.stringify(wrong)}, which isn't a valid file name`);
  return releases;
}

async function download(baseUrl: string, folder: string, name: string): Promise<void> {
  const response = await fetchAsset(baseUrl, name);
  if (response.status !== 200) throw new Error(`${name} returned ${response.status}`);
  await writeFile(join(folder, name), response.content);
}

function fetchAsset(baseUrl: string, name: string): Promise<HostReply> {
  return requestHost(new URL(`/dashboard/assets/${name}`, baseUrl).href);
}
