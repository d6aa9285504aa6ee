/**
 * Builds the dashboard into `dist/dashboard`, unless the build there is newer than all its sources: test servers that
 * start at the same time must not delete each other's files.
 */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { build } from "vite";

import config from "./vite.config.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = ["src/dashboard", "src/core", "src/cli/vite.config.ts", "src/cli/vite-plugins.ts", "package-lock.json"];

export async function buildDashboard(): Promise<void> {
  if (await isUpToDate()) return;
  // Vite takes its mode from NODE_ENV, which a test runner sets; without this, tests would serve React's development
  // build.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  await build({ ...config, configFile: false }).finally(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
}

async function isUpToDate(): Promise<boolean> {
  const built = await stat(join(ROOT, "dist/dashboard/index.html")).catch(() => null);
  if (!built) return false;
  const changes = await Promise.all(SOURCES.map((source) => lastModifiedMs(join(ROOT, source))));
  return changes.every((change) => change < built.mtimeMs);
}

/**
 * Latest modification time of a file, or of everything in a folder. Folders count as well: theirs changes when a file
 * is removed.
 */
async function lastModifiedMs(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = await readdir(path);
  return Math.max(found.mtimeMs, ...(await Promise.all(inside.map((name) => lastModifiedMs(join(path, name))))));
}

if (import.meta.main) await buildDashboard();
