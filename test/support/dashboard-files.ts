/** Files for the dashboard's addresses if it has not been built: tests of the server need some, not the real ones. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** Identifies a page that was not built. */
export const PLACEHOLDER_SCRIPT = "index-00000000.js";

const FOLDER = resolve(import.meta.dirname, "../../dist/dashboard");

export default function setup(): void {
  if (existsSync(`${FOLDER}/index.html`)) return;
  mkdirSync(`${FOLDER}/assets`, { recursive: true });
  writeFileSync(`${FOLDER}/assets/${PLACEHOLDER_SCRIPT}`, "void 0;\n");
  const script = `<script type="module" src="/dashboard/assets/${PLACEHOLDER_SCRIPT}"></script>`;
  for (const page of ["index", "share"]) {
    writeFileSync(`${FOLDER}/${page}.html`, `<!doctype html>\n<title>Hoplink</title>\n${script}\n`);
    // Older than all sources: the next build replaces it.
    utimesSync(`${FOLDER}/${page}.html`, 0, 0);
  }
}
