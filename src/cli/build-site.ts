/** Builds the documentation, the OpenAPI document and the dashboard into `dist/`, which the Worker serves as assets. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { build } from "vite";

import { openApiDocument } from "../api/openapi/openapi.ts";
import { v1Routes } from "../api/urls.ts";
import { buildDashboard } from "./dashboard.ts";
import { docsSite } from "./docs/site.ts";
import { noteDocsBuilt } from "./up-to-date.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCS = join(ROOT, "src/cli/docs");

/** Builds into `dist/`. */
export async function buildSite(): Promise<void> {
  await Promise.all([buildDocs(), buildDashboard()]);
}

/** The whole site except the dashboard. */
export async function buildDocs(): Promise<void> {
  const startedAt = Date.now();
  const [site, scripts] = await Promise.all([docsSite(openApiDocument(v1Routes)), bundledScripts()]);
  const files = new Map([...site, ...scripts].map(([path, content]) => [fileAt(path), content]));
  await Promise.all([
    ...[...files].map(([file, content]) => update(file, content)),
    removeOthers(join(ROOT, "dist/docs"), files),
  ]);
  await noteDocsBuilt(startedAt);
}

/** The asset server responds to a folder's path with its `index.html`. */
function fileAt(path: string): string {
  if (path === "/docs") return join(ROOT, "dist/docs/index.html");
  return join(ROOT, "dist", path.includes(".") ? path : `${path}.html`);
}

/** Writes a file only if its content differs, because each write below `dist/` restarts a development server. */
async function update(path: string, content: string): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => null);
  if (present === content) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Removes pages whose guide no longer exists; they would still be deployed. */
async function removeOthers(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const present = await readdir(folder).catch(() => []);
  const others = present.map((name) => join(folder, name)).filter((file) => !files.has(file));
  await Promise.all(others.map((file) => rm(file, { recursive: true, force: true })));
}

/** The scripts of the documentation's pages by address: `docs.js`, and the parts that it loads on demand. */
async function bundledScripts(): Promise<[string, string][]> {
  const built = await build({
    configFile: false,
    root: DOCS,
    base: "/docs/",
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: {
        input: join(DOCS, "client/main.ts"),
        output: { entryFileNames: "docs.js", chunkFileNames: "[name].js" },
      },
    },
  });
  return [built]
    .flat()
    .flatMap((each) => ("output" in each ? each.output : []))
    .flatMap((each) => (each.type === "chunk" ? [[`/docs/${each.fileName}`, each.code] as [string, string]] : []));
}
