/** The npm package `hoplink` as npm packs it: its size, its files, and its types with the newest TypeScript. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { minify } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClientProject, clientProject } from "../support/client-package.ts";
import { COMPILE_TIMEOUT_MS, strictProgramErrors, TYPES_OF_BROWSERS } from "../support/strict-program.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SIZE_MAX_BYTES = 8 * 1_024;

let project: ClientProject;
let installed: string;

beforeAll(async () => {
  project = await clientProject();
  installed = join(project.folder, "node_modules/hoplink");
});

afterAll(() => project?.remove());

test("minified and compressed it has at most 8 KB, and it has no dependencies", async () => {
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

test("npx runs the command from the packed file, offline and with an empty cache", { timeout: 120_000 }, async () => {
  const env = { ...process.env, npm_config_cache: join(project.folder, "cache"), HOPLINK_URL: "", HOPLINK_API_KEY: "" };
  const npx = (...args: string[]) =>
    promisify(execFile)("npx", ["--offline", "--yes", ...args], { cwd: dirname(project.tarball), env });
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
  expect((await npx(`./${basename(project.tarball)}`, "--version")).stdout).toBe(`${version}\n`);
  await expect(npx("--package", project.tarball, "--", "hoplink", "whoami", "--profile", "none")).rejects.toMatchObject(
    {
      code: 3,
      stderr: "You are not signed in (profile none)\nTo sign in, run: hoplink login --profile none\n",
    },
  );
});

test("publint suggests no improvements", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false });
  expect(messages).toEqual([]);
});

test.each(["node16", "bundler"])(
  "a strict program compiles: TypeScript 7, %s",
  { timeout: COMPILE_TIMEOUT_MS },
  async (moduleResolution) => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(await strictProgramErrors(project.folder, tsc, moduleResolution, TYPES_OF_BROWSERS)).toBe("");
  },
);
