/** A copy of what the development server is built from, for tests that deploy another release. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** The rest is built, served, or linked to by the guides. */
const OMITTED = new Set([".git", ".wrangler", "node_modules", "test-results"]);

export interface ProjectCopy {
  folder: string;
  /** @throws Error when the file does not hold the text */
  replace: (path: string, text: string, by: string) => void;
  remove: () => void;
}

export function copyProject(): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-project-"));
  const parts = readdirSync(ROOT).filter((part) => !OMITTED.has(part));
  const filter = (source: string) => basename(source) !== "node_modules";
  for (const part of parts) cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const replace = (path: string, text: string, by: string) => {
    const before = readFileSync(join(folder, path), "utf8");
    if (!before.includes(text)) throw new Error(`${path} does not hold ${text}`);
    writeFileSync(join(folder, path), before.replace(text, by));
  };
  return { folder, replace, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
