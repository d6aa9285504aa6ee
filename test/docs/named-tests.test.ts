/** The guides name tests as `file › group › title`. Each must exist, or a renamed test would leave a promise unproven. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { type TestFile, testFiles, titlesOf } from "../support/test-titles.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDES = join(ROOT, "src/docs");
const FILES = testFiles();

describe.each(["specification.md", "security.md"])("the tests that %s names", (guide) => {
  const named = testsNamedIn(readFileSync(join(GUIDES, guide), "utf8"));

  test("are many", () => {
    expect(named.length).toBeGreaterThan(50);
  });

  test("exist", () => {
    expect(named.filter((reference) => !exists(reference, FILES))).toEqual([]);
  });
});

test("the numbers that comments and titles use are on the page", () => {
  const page = readFileSync(join(GUIDES, "specification.md"), "utf8");
  const there = numbersIn(page, /^(?:### (?:Decision )?|- )(\d+(?:\.\d+)?)\b/gm);
  const used = sources("src", "test").flatMap((text) => numbersIn(text, /\b(?:spec|decisions?) (\d[\d., ]*)/gi));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((number) => !there.includes(number))).toEqual([]);
});

describe("a reference", () => {
  const files = [
    {
      path: "core/qr/code.test.ts",
      titles: titlesOf(
        "code.test.ts",
        `describe.each(SIZES)("size $px", () => { test("is " + kind, run); test.skip(\`100% of \${x} (or so)\`, run) });
         describe("broken", () => test.for([1])("at %d %%", run)); other.test("nothing");`,
      ),
    },
  ];

  test.each([
    "code.test.ts",
    "qr/code.test.ts › ...",
    "test/core/qr/code.test.ts › size ...",
    "code.test.ts › size ... › is ...",
    "code.test.ts › size ... › 100% of ... (or so)",
    "code.test.ts › ... › ... (or so)",
    "code.test.ts › broken › at ... %",
  ])("%s exists", (reference) => {
    expect(exists(reference, files)).toBe(true);
  });

  test.each([
    "de.test.ts",
    "core/code.test.ts",
    "code.test.ts › size",
    "code.test.ts › size 5",
    "code.test.ts › is ...",
    "code.test.ts › size ... › is ... › more",
    "code.test.ts › broken › is ...",
    "code.test.ts › nothing",
  ])("%s does not", (reference) => {
    expect(exists(reference, files)).toBe(false);
  });
});

/** All numbers of lists as `2.1, 4.7`. */
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

/** Every piece of code in a guide that speaks of a file of tests. */
function testsNamedIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]*\.test\.ts[^`\n]*)`/g)].map(([, reference = ""]) => reference);
}

function exists(reference: string, files: readonly TestFile[]): boolean {
  const [file = "", ...titles] = reference.split(" › ");
  return files
    .filter(({ path }) => `/test/${path}`.endsWith(`/${file}`))
    .some((found) => titles.length === 0 || found.titles.some((path) => begins(path, titles)));
}

/** Whether a test, with the groups around it, or one of these groups is what the titles say. */
function begins(path: readonly string[], titles: readonly string[]): boolean {
  return path.length >= titles.length && titles.every((title, position) => pattern(title).test(path[position] ?? ""));
}

/** `...` stands for any words. */
function pattern(title: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${title.split("...").map(literal).join(".*")}$`);
}
