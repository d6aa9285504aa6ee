/** Bundles of Workers, as `wrangler deploy` makes them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { runWrangler } from "../../src/cli/wrangler.ts";
import type { WorkerModule } from "./workerd.ts";

/** @param options  more arguments of `wrangler deploy` @returns the script, without the modules that it imports */
export async function bundle(entry = "src/worker.ts", options: readonly string[] = []): Promise<string> {
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

/** Bytes that an upload takes, compressed, WebAssembly included: as wrangler tells it. */
export async function uploadBytes(options: readonly string[] = []): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-bundle-"));
  try {
    const printed = await runWrangler(["deploy", "--dry-run", "--outdir", folder, ...options]);
    const kibibytes = /Total Upload: .* gzip: ([\d.]+) KiB/.exec(printed)?.[1];
    if (kibibytes === undefined) throw new Error(`wrangler tells no size:\n${printed}`);
    return Number(kibibytes) * 1_024;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inBundle<T>(entry: string, options: readonly string[], work: (folder: string) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-bundle-"));
  try {
    await runWrangler(["deploy", entry, "--dry-run", "--outdir", folder, ...options]);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
