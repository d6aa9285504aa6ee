/** Whether the site in `dist/` is newer than all its sources and needs no build: the bundlers take seconds to load. */
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** Not in `dist/`, where each write restarts a development server. */
const DOCS_STAMP = "node_modules/.cache/hoplink-docs-built";

export async function isDashboardBuilt(): Promise<boolean> {
  const sources = ["src/dashboard", "src/core", "src/cli/vite.config.ts", "package-lock.json"];
  return isNewer("dist/dashboard/share.html", sources);
}

/** The reference is generated from the routes. */
export async function areDocsBuilt(): Promise<boolean> {
  const hasPages = await stat(join(ROOT, "dist/docs/index.html")).catch(() => null);
  return hasPages !== null && isNewer(DOCS_STAMP, ["src", "package.json", "package-lock.json"]);
}

/** @param startedAt  when its sources were read, epoch ms: later changes are not in it */
export async function noteDocsBuilt(startedAt: number): Promise<void> {
  const stamp = join(ROOT, DOCS_STAMP);
  await mkdir(dirname(stamp), { recursive: true });
  await writeFile(stamp, "");
  await utimes(stamp, startedAt / 1_000, startedAt / 1_000);
}

async function isNewer(built: string, sources: readonly string[]): Promise<boolean> {
  const found = await stat(join(ROOT, built)).catch(() => null);
  if (!found) return false;
  const changes = await Promise.all(sources.map((source) => lastModifiedMs(join(ROOT, source))));
  return changes.every((change) => change < found.mtimeMs);
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
