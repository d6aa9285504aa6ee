/** The guides name test files. Each must exist, or a moved test would leave a promise unproven. */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const GUIDES = join(ROOT, "src/docs");
const FILES = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules"] }).map((file) => `/${file}`);

describe.each(["specification.md", "security.md"])("the tests that %s names", (guide) => {
  const named = testsNamedIn(readFileSync(join(GUIDES, guide), "utf8"));

  test("are many", () => {
    expect(named.length).toBeGreaterThan(50);
  });

  test("exist", () => {
    expect(named.filter((name) => !FILES.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  });
});

test("the numbers that comments and titles use are on the page", () => {
  const page = readFileSync(join(GUIDES, "specification.md"), "utf8");
  const there = numbersIn(page, /^(?:### (?:Decision )?|- )(\d+(?:\.\d+)?)\b/gm);
  const used = sources("src", "test").flatMap((text) => numbersIn(text, /\b(?:spec|decisions?) (\d[\d., ]*)/gi));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((number) => !there.includes(number))).toEqual([]);
});

/** Each number in the lists, such as `2.1, 4.7`. */
function numbersIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, list = ""]) => list.match(/\d+(?:\.\d+)?/g) ?? []);
}

function sources(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  );
}

/** Each test file that a guide names. */
function testsNamedIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]*\.test\.ts)`/g)].map(([, file = ""]) => file);
}
