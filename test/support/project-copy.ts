/** A copy of the development server's sources, for tests that deploy another release. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

import { workerBundle } from "./bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The rest is built, served, or linked to by the guides. */
const OMITTED = new Set([".git", ".wrangler", "node_modules", "test-results"]);

/** Files that the commands for a deployment need. */
const DEPLOYABLE = ["dist", "migrations", "package.json", "src", "tsconfig.json", "wrangler.toml"];
const BUILT = `main = "bundle/worker.js"
no_bundle = true
find_additional_modules = true
rules = [{ type = "ESModule", globs = ["**/*.js"] }]`;
/** Files of the site that no deployment of a built copy is asked for: each would upload and hash them again. */
const UNVISITED = /\/dist\/(dashboard\/assets\/(?!index-)|docs\/(?!index|deploy|shared))/;
/** In a built copy. */
export const BUNDLE = "bundle/bundled.js";
export const ENTRY = "bundle/worker.js";
const EXPORTS = /export\{([^}]*)\};$/m;

export interface ProjectCopy {
  folder: string;
  /** Another checkout of it, as if from a later release: a process loads modules once from each folder. */
  checkOut: () => ProjectCopy;
  /** @throws Error when the file does not contain the text */
  replace: (path: string, text: string | RegExp, by: string) => void;
  remove: () => void;
}

export function copyProject(): ProjectCopy {
  const project = copyParts(readdirSync(ROOT).filter((part) => !OMITTED.has(part)));
  // Copies are new: the development server would build the dashboard again if it were older than its sources.
  const now = new Date();
  utimesSync(join(project.folder, "dist/dashboard/share.html"), now, now);
  return project;
}

/**
 * A built copy: wrangler uploads the bundle unchanged. The entry only exports from it, because wrangler parses the entry
 * at each upload.
 */
export async function copyBuiltProject(): Promise<ProjectCopy> {
  const bundle = await workerBundle();
  const project = copyParts(DEPLOYABLE, ROOT, UNVISITED);
  cpSync(bundle, join(project.folder, "bundle"), { recursive: true });
  renameSync(join(project.folder, ENTRY), join(project.folder, BUNDLE));
  const [, exported = ""] = EXPORTS.exec(readFileSync(join(project.folder, BUNDLE), "utf8")) ?? [];
  const names = exported.split(",").map((name) => name.replace(/^.* as /, ""));
  writeFileSync(join(project.folder, ENTRY), `export { ${names.join(", ")} } from "./bundled.js";\n`);
  project.replace("wrangler.toml", 'main = "src/worker.ts"', BUILT);
  project.replace("wrangler.toml", "minify = true", "minify = false");
  project.replace("wrangler.toml", "upload_source_maps = true", "upload_source_maps = false");
  project.replace("package.json", "npm run build && node src/cli/deploy.ts", "node src/cli/deploy.ts");
  return project;
}

/** @param omitted  paths, in addition to packages */
function copyParts(parts: readonly string[], from = ROOT, omitted?: RegExp): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-project-"));
  const filter = (source: string) => basename(source) !== "node_modules" && !omitted?.test(source);
  for (const part of parts) cpSync(join(from, part), join(folder, part), { recursive: true, filter });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const replace = (path: string, text: string | RegExp, by: string) => {
    const before = readFileSync(join(folder, path), "utf8");
    if (typeof text === "string" ? !before.includes(text) : !text.test(before))
      throw new Error(`${path} does not hold ${text}`);
    writeFileSync(join(folder, path), before.replace(text, by));
  };
  const checkOut = () =>
    copyParts(
      readdirSync(folder).filter((part) => part !== "node_modules"),
      folder,
    );
  return { folder, checkOut, replace, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
