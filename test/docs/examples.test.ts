/** A test runs every example of the README, the guides and related texts. An example without a test fails here. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { EXAMPLES, testOf } from "../support/examples.ts";

const ROOT = join(import.meta.dirname, "../..");
const TAKES_EXAMPLES = /\b(?:examplesRunBy|ExamplesToTake)\(import\.meta\.filename\)/;

test("every example is run by a test", () => {
  const missed = EXAMPLES.filter((example) => testOf(example) === undefined);
  expect(missed.map(({ text, language, code }) => `${text}: ${language}\n${code}`)).toEqual([]);
});

test("the tests named for examples use them", () => {
  const paths = [...new Set(EXAMPLES.flatMap((example) => testOf(example) ?? []))];
  const takes = (path: string) =>
    existsSync(join(ROOT, path)) && TAKES_EXAMPLES.test(readFileSync(join(ROOT, path), "utf8"));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !takes(path))).toEqual([]);
});
