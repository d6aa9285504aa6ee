/**
 * `npm run build`: writes what is made of the code. The OpenAPI document goes into the repository
 * (`src/api/openapi.json`), and with the reference pages and the dashboard into `dist/`, which the Worker serves as
 * static assets. With `--site` only `dist/` is written, so that a test can tell when the document in the repository is
 * out of date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { openApiDocument } from "../api/openapi.ts";
import { v1 } from "../api/v1.ts";
import { ERRORS } from "../core/errors.ts";
import { buildDashboard } from "./dashboard.ts";
import { errorsPage, referencePage } from "./docs/pages.ts";
import { streamingPage } from "./docs/streaming.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = join(import.meta.dirname, "docs");

const document = openApiDocument(v1);
const text = `${JSON.stringify(document, null, 2)}\n`;

/** Writes `dist/`. */
export async function buildSite(): Promise<void> {
  const errors = Object.entries(ERRORS).map(([code, error]) => ({ code, ...error }));
  const docs = join(ROOT, "dist/docs");
  await mkdir(docs, { recursive: true });
  await Promise.all([
    update(join(ROOT, "dist/openapi.json"), text),
    update(join(docs, "index.html"), referencePage(document)),
    update(join(docs, "errors.html"), errorsPage(document, errors)),
    update(join(docs, "streaming.html"), streamingPage()),
    ...["docs.css", "favicon.svg"].map(async (name) =>
      update(join(docs, name), await readFile(join(SOURCES, name), "utf8")),
    ),
    buildDashboard(),
  ]);
}

/** Writes what differs: a development server that runs beside restarts with every write to what it serves. */
async function update(path: string, content: string): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => null);
  if (present !== content) await writeFile(path, content);
}

if (import.meta.main) {
  await buildSite();
  if (!process.argv.includes("--site")) await writeFile(join(ROOT, "src/api/openapi.json"), text);
}
