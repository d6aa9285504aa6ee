/**
 * Between build and deployment: copies the dashboard's files of the last releases from the running deployment into the
 * build, because a deployment replaces all static assets. Pages that were opened before can still load theirs. Each
 * release lists its files in `dashboard/assets/releases.json`.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { DAY_MS } from "../core/time.ts";
import { type HostReply, requestHost } from "./deployment/host-request.ts";

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
 * @param folder  of the built assets
 * @param baseUrl  of the running deployment
 * @param now  epoch ms
 * @returns the number of copied files
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
