/** Bundles of Workers, as `wrangler deploy` creates them. The Worker's own is built once for all test files. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

import { runWrangler } from "../../src/cli/wrangler.ts";
import type { WorkerModule } from "./workerd.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const WORKER = "src/worker.ts";
const CACHE = join(ROOT, "node_modules/.cache/hoplink-worker");
const HASH_CHARS = 32;
/** Sources that are not in the Worker. */
const OTHER_SOURCES = /^src\/(cli|client|dashboard|docs)\//;

/** @param options  more arguments of `wrangler deploy` @returns the script, without the modules that it imports */
export async function bundle(entry = WORKER, options: readonly string[] = []): Promise<string> {
  return inBundle(entry, options, (folder) => readFileSync(join(folder, `${basename(entry, ".ts")}.js`), "utf8"));
}

/** The script, and the WebAssembly that it imports. */
export async function bundleModules(entry: string): Promise<WorkerModule[]> {
  return inBundle(entry, [], (folder) => {
    const files = readdirSync(folder);
    const read = (path: string) => readFileSync(join(folder, path));
    return [
      ...files
        .filter((path) => path.endsWith(".js"))
        .map((path) => ({ type: "ESModule" as const, path, contents: read(path) })),
      ...files
        .filter((path) => path.endsWith(".wasm"))
        .map((path) => ({ type: "CompiledWasm" as const, path, contents: read(path) })),
    ];
  });
}

/** Compressed bytes of an upload, WebAssembly included, as wrangler reports them. */
export async function uploadBytes(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-bundle-"));
  try {
    const printed = await runWrangler(["deploy", "--dry-run", "--outdir", folder]);
    const kibibytes = /Total Upload: .* gzip: ([\d.]+) KiB/.exec(printed)?.[1];
    if (kibibytes === undefined) throw new Error(`wrangler tells no size:\n${printed}`);
    return Number(kibibytes) * 1_024;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inBundle<T>(entry: string, options: readonly string[], work: (folder: string) => T): Promise<T> {
  if (entry === WORKER && options.length === 0) return work(await workerBundle());
  const folder = mkdtempSync(join(tmpdir(), "hoplink-bundle-"));
  try {
    await runWrangler(["deploy", entry, "--dry-run", "--outdir", folder, ...options]);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the folder of the Worker's bundle, which other test files read as well */
export async function workerBundle(): Promise<string> {
  const folder = join(CACHE, sourcesHash());
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  await runWrangler(["deploy", "--dry-run", "--outdir", made]);
  // Nothing reads it, and every upload would contain it.
  rmSync(join(made, "worker.js.map"));
  try {
    renameSync(made, folder);
  } catch {
    // Another test file was faster.
    rmSync(made, { recursive: true });
  }
  for (const old of readdirSync(CACHE).filter((name) => !folder.endsWith(name.slice(0, HASH_CHARS))))
    rmSync(join(CACHE, old), { recursive: true, force: true });
  return folder;
}

function sourcesHash(): string {
  const sources = globSync("src/**/*.{ts,tsx,json,wasm}", { cwd: ROOT }).filter((path) => !OTHER_SOURCES.test(path));
  const hash = createHash("sha256");
  for (const path of [...sources.sort(), "wrangler.toml", "package-lock.json"])
    hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex").slice(0, HASH_CHARS);
}
