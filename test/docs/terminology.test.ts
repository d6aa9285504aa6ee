/** One term per concept: what readers see never uses a second word for a thing, or a phrase that reads like a translation. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Terms to avoid, each with the term to use. */
const AVOIDED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:nobody|somebody|everybody)\b/i, "no one, someone, anyone, or name them"],
  [/\bmeanwhile\b/i, "in the meantime, or nothing"],
  [/\bfor ever\b/i, "permanently"],
  [/\bat once\b/i, "immediately, or at the same time"],
  [/\bof (?:its|their|your|our) own\b/i, "its own, your own"],
  [/\b(?:is|are) told\b/i, "gets, is notified"],
  [/\b(?:goes?|went) on\b/i, "continues, resumes"],
  [/\bpretend visit/i, "simulated visit"],
  [/\bmak(?:e|es|ing) (?:a |an |the )?(?:short )?(?:links?|keys?|accounts?|domains?|QR codes?)\b/i, "create"],
  [/\be-mail/i, "email"],
  [/\bshortlinks?\b|\bback-half\b/i, "short link, slug"],
  [/\baccess keys?\b/i, "API key"],
  [/\bQR-codes?\b/, "QR code"],
  [/\bunique (?:users|people|clickers)\b/i, "unique visitors"],
  [/\btarget (?:URL|address)\b/i, "destination"],
  [/\bwhite-?list|\bblack-?list/i, "allow list, block list"],
];

/** The texts of the dashboard, the API's errors, the help of the commands, and the guides. */
const FILES = globSync(
  [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "src/docs/*.md",
    "src/client/README.md",
    "src/dashboard/texts/*.ts",
    "src/core/errors.ts",
    "src/client/cli/**/*.ts",
    "src/cli/**/*.ts",
  ],
  { cwd: ROOT },
);

/** The prose of a file: a guide without its code, or the string literals of a module. */
function proseOf(file: string): string {
  const text = readFileSync(join(ROOT, file), "utf8");
  if (file.endsWith(".md")) return text.replace(/```[\s\S]*?```/g, "").replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([literal]) => literal).join("\n");
}

test.each(AVOIDED)("%s is not used; write: %s", (avoided) => {
  const used = FILES.flatMap((file) =>
    proseOf(file)
      .split("\n")
      .filter((line) => avoided.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(used).toEqual([]);
});

test("the files are found", () => {
  expect(FILES.length).toBeGreaterThan(100);
});
