/** The npm package `hoplink` as npm packs it: its size, its files, and that its types resolve wherever it is used. */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { minify } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClientProject, clientProject } from "../support/client-package.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SIZE_MAX_BYTES = 8 * 1_024;
/** A compiler reads all types of Node and browsers; beside other tests that takes its time. */
const COMPILE_TIMEOUT_MS = 180_000;

const run = promisify(execFile);

let project: ClientProject;
let installed: string;

beforeAll(async () => {
  project = await clientProject();
  installed = join(project.folder, "node_modules/hoplink");
});

afterAll(() => project?.remove());

test("minified and compressed it has at most 8 KB, and it brings nothing along", async () => {
  const { code } = await minify("index.js", readFileSync(join(installed, "index.js"), "utf8"));
  expect(gzipSync(code).length).toBeLessThanOrEqual(SIZE_MAX_BYTES);
  expect(code).not.toMatch(/\bimport\b|\brequire\b/);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest["version"]).toBe(
    (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version,
  );
  const files = readdirSync(installed).filter((name) => !name.endsWith(".d.ts"));
  expect(files.sort()).toEqual(["LICENSE", "README.md", "cli.js", "index.js", "package.json"]);
});

test("publint finds nothing to better", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false });
  expect(messages).toEqual([]);
});

/** What only a module is does not show to the resolution of Node 10, and CommonJS loads it by import(). */
const ESM_ONLY = new Set(["node10", "node16-cjs"]);

test("its types are right for every way of loading a module", async () => {
  const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(project.tarball)));
  const result = await checkPackage(tarball);
  if (!result.types) throw new Error("it has no types");
  const resolved = Object.values(result.entrypoints["."]?.resolutions ?? {}).map(({ resolutionKind, resolution }) => [
    resolutionKind,
    resolution?.fileName.endsWith("/index.d.ts") ?? false,
  ]);
  expect(Object.fromEntries(resolved)).toMatchObject({ "node16-esm": true, bundler: true });
  const others = result.problems.filter(
    (problem) => !("resolutionKind" in problem) || !ESM_ONLY.has(problem.resolutionKind),
  );
  expect(others).toEqual([]);
});

const PROGRAM = `
import { Hoplink, HoplinkError, isHoplinkError, type Link, type StreamEvent } from "hoplink";

const hoplink = new Hoplink({ apiKey: "svc_test_key", baseUrl: "https://hop.example.com" });

export async function titles(tag: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { title } of hoplink.links.list({ tag: [tag], sort: "-clicks" })) found.push(title);
  return found;
}

export async function make(url: string): Promise<Link | null> {
  try {
    return await hoplink.links.create({ url, routing: [{ if: { country: ["DE", "AT"] }, to: url }] });
  } catch (error) {
    if (isHoplinkError(error, "slug_taken")) return null;
    const code: string | undefined = error instanceof HoplinkError ? error.code : undefined;
    throw new Error(code);
  }
}

export function show(event: StreamEvent): string {
  return event.type === "click" ? event.click.short_url : event.type === "gap" ? event.from : event.cursor;
}

// @ts-expect-error a link has a url
void hoplink.links.create({ slug: "a" });
// @ts-expect-error no such grouping
void hoplink.stats({ group_by: "colour" });
`;

const DOM = ["--lib", "es2022,dom"];
const NODE = ["--lib", "es2022", "--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];

test.each([
  ["TypeScript 7, node16", "node_modules", "node16", DOM],
  ["TypeScript 7, bundler", "node_modules", "bundler", DOM],
  ["TypeScript 5, node16", "test/clients/node_modules", "node16", DOM],
  ["TypeScript 5, bundler", "test/clients/node_modules", "bundler", DOM],
  [
    "TypeScript 5, node16, with the types of Node in the place of those of browsers",
    "test/clients/node_modules",
    "node16",
    NODE,
  ],
])(
  "a strict program compiles: %s",
  { timeout: COMPILE_TIMEOUT_MS },
  async (_, modules, moduleResolution, libraries) => {
    writeFileSync(join(project.folder, "program.ts"), PROGRAM);
    const tsc = join(ROOT, modules, "typescript/bin/tsc");
    const module = moduleResolution === "node16" ? "node16" : "esnext";
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
    const kind = ["--target", "es2022", "--module", module, "--moduleResolution", moduleResolution];
    const args = [tsc, ...strict, ...kind, ...libraries, "program.ts"];
    const printed = await run(process.execPath, args, { cwd: project.folder }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(printed).toBe("");
  },
);
