/** The types of the npm package `hoplink`: for every way of loading a module, and with an older TypeScript. */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClientProject, clientProject } from "../support/client-package.ts";
import { COMPILE_TIMEOUT_MS, strictProgramErrors, TYPES_OF_BROWSERS } from "../support/strict-program.ts";

const TSC = join(import.meta.dirname, "node_modules/typescript/bin/tsc");
const TYPES = resolve(import.meta.dirname, "../../node_modules/@types");
const TYPES_OF_NODE = ["--lib", "es2022", "--typeRoots", TYPES, "--types", "node"];

let project: ClientProject;

beforeAll(async () => {
  project = await clientProject();
});

afterAll(() => project?.remove());

/** Node 10's resolution does not see an ESM-only package, and CommonJS loads it by import(). */
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

test.each([
  ["TypeScript 5, node16", "node16", TYPES_OF_BROWSERS],
  ["TypeScript 5, bundler", "bundler", TYPES_OF_BROWSERS],
  ["TypeScript 5, node16, with Node's types instead of those of browsers", "node16", TYPES_OF_NODE],
])("a strict program compiles: %s", { timeout: COMPILE_TIMEOUT_MS }, async (_, moduleResolution, types) => {
  expect(await strictProgramErrors(project.folder, TSC, moduleResolution, types)).toBe("");
});
