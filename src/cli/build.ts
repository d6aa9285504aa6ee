/**
 * `npm run build`: writes what is made of the code. The OpenAPI document goes into the repository
 * (`src/api/openapi/openapi.json`), and with the documentation and the dashboard into `dist/`, which the Worker serves as
 * static assets. With `--site` only `dist/` is written, so that a test can tell when the document in the repository is
 * out of date.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { openApiDocument } from "../api/openapi/openapi.ts";
import { v1Routes } from "../api/v1.ts";
import { buildDashboard } from "./dashboard.ts";
import { bundledScript } from "./docs/script.ts";
import { docsSite } from "./docs/site.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Writes `dist/`. */
export async function buildSite(): Promise<void> {
  const site = docsSite(openApiDocument(v1Routes), await bundledScript());
  const files = new Map([...site].map(([path, content]) => [fileAt(path), content]));
  await Promise.all([
    ...[...files].map(([file, content]) => update(file, content)),
    removeOthers(join(ROOT, "dist/docs"), files),
    buildDashboard(),
  ]);
}

/** A folder's page is its `index.html`, as the asset server has it. */
function fileAt(path: string): string {
  if (path === "/docs") return join(ROOT, "dist/docs/index.html");
  return join(ROOT, "dist", path.includes(".") ? path : `${path}.html`);
}

/** Writes what differs: a development server that runs beside restarts with every write to what it serves. */
async function update(path: string, content: string): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => null);
  if (present === content) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** A page whose guide is gone would still be deployed. */
async function removeOthers(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const present = await readdir(folder).catch(() => []);
  const others = present.map((name) => join(folder, name)).filter((file) => !files.has(file));
  await Promise.all(others.map((file) => rm(file, { recursive: true, force: true })));
}

if (import.meta.main) {
  await buildSite();
  if (!process.argv.includes("--site")) {
    await copyFile(join(ROOT, "dist/openapi.json"), join(ROOT, "src/api/openapi/openapi.json"));
  }
}
