/**
 * Prints the newest version of CHANGELOG.md and writes its section to the file named by the argument. Prints nothing if
 * the changelog has only unreleased changes. The release workflow runs this before `npm ci`, so it imports no packages.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export interface ReleaseNotes {
  version: string;
  notes: string;
}

/** @throws if the newest heading is not `## X.Y.Z`, or names a version other than `packageVersion` */
export function newestRelease(changelog: string, packageVersion: string): ReleaseNotes | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const newest = sections.find((section) => !section.startsWith("Unreleased"));
  if (newest === undefined) return undefined;
  const [heading = "", ...lines] = newest.split("\n");
  const [version = ""] = heading.split(" ");
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(`CHANGELOG.md: expected "## X.Y.Z (date)", got "## ${heading}"`);
  }
  if (version !== packageVersion) {
    throw new Error(
      `CHANGELOG.md has version ${version}, package.json ${packageVersion}. Set both to the same version.`,
    );
  }
  return { version, notes: lines.join("\n").trim() };
}

function main(notesFile: string | undefined): void {
  if (notesFile === undefined) throw new Error("Usage: node src/cli/release-notes.ts FILE");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const release = newestRelease(read("CHANGELOG.md"), version);
  if (!release) return;
  writeFileSync(notesFile, `${release.notes}\n`);
  console.log(release.version);
}

function read(name: string): string {
  return readFileSync(resolve(ROOT, name), "utf8");
}

if (import.meta.main) main(process.argv[2]);
