/** The README, the guides and related files name files and folders of the repository: each must exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const TEXTS = [
  ...readdirSync(join(ROOT, "src/docs"), { encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `src/docs/${name}`),
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "test/README.md",
];
/** Placeholders for files that the reader creates. */
const EXAMPLES = new Set(["src/docs/name.md", "migrations/NNNN_name.sql"]);

test.each(TEXTS)("%s names files that exist", (text) => {
  const markdown = readFileSync(join(ROOT, text), "utf8");
  const inCode = matches(markdown, /`((?:src|test|migrations)(?:\/[\w./-]*)?)`/g).filter((path) => !EXAMPLES.has(path));
  const linked = matches(markdown, /\]\(([^):#]+)(?:#[^)]*)?\)/g).map((path) => join(dirname(text), path));
  expect([...inCode, ...linked].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** All matches of the pattern's group. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = ""]) => group);
}
