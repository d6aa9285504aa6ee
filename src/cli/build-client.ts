/**
 * `npm run build:client`: builds the package `hoplink` into `artifacts/client`, where `npm pack` and `npm publish` run.
 * It is not in `dist`, whose files the Worker serves.
 */
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtempDisposable, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { Command } from "@commander-js/extra-typings";
import type { InlineConfig } from "vite";

import manifest from "../client/package.json" with { type: "json" };
import { RELEASE } from "../core/release.ts";
import { runCommand } from "./command.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src/client");
const COMMAND = "cli.js";
const run = promisify(execFile);

/** @param folder  emptied first */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    writeScript(folder),
    writeCommand(folder),
    writeDeclarations(folder),
    writeManifest(folder),
    cp(join(SOURCE, "README.md"), join(folder, "README.md")),
    cp(join(ROOT, "LICENSE"), join(folder, "LICENSE")),
  ]);
}

function writeScript(outDir: string): Promise<void> {
  return bundle(outDir, {
    target: "es2022",
    lib: { entry: join(SOURCE, "index.ts"), formats: ["es"], fileName: "index" },
  });
}

/** The command `hoplink` in one file, including its dependencies, so that the package has none. @returns its path */
export async function writeCommand(outDir: string): Promise<string> {
  const rolldownOptions = { output: { entryFileNames: COMMAND, codeSplitting: false } };
  const options = { ssr: join(SOURCE, "cli/hoplink.ts"), target: "node20", rolldownOptions };
  await bundle(outDir, options, { noExternal: true, target: "node" });
  const path = join(outDir, COMMAND);
  await chmod(path, 0o755);
  return path;
}

/** Not minified, so that errors are readable; users with a bundler can minify it. */
async function bundle(outDir: string, options: InlineConfig["build"], ssr?: InlineConfig["ssr"]): Promise<void> {
  // Takes a second to load: invalid arguments are refused before that.
  const { build } = await import("vite");
  const ownOptions = { outDir, emptyOutDir: false, minify: false, ...options };
  await build({ configFile: false, root: SOURCE, logLevel: "warn", ...(ssr && { ssr }), build: ownOptions });
}

/** Their imports use the file names of the package. */
async function writeDeclarations(folder: string): Promise<void> {
  await using written = await mkdtempDisposable(join(tmpdir(), "hoplink-client-"));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
  await run(process.execPath, [tsc, "-p", SOURCE, ...emit, "--rootDir", join(ROOT, "src"), "--outDir", written.path]);
  for (const name of await readdir(join(written.path, "client"))) {
    const text = await readFile(join(written.path, "client", name), "utf8");
    await writeFile(join(folder, name), text.replaceAll(/(["'])(\.\/[\w-]+)\.ts\1/g, '"$2.js"'));
  }
}

async function writeManifest(folder: string): Promise<void> {
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...manifest, version: RELEASE }, null, 2)}\n`);
}

if (import.meta.main) {
  const command = () =>
    new Command("npm run build:client").description("Build the npm package hoplink into artifacts/client.");
  await runCommand(command, () => buildClient(join(ROOT, "artifacts/client")));
}
