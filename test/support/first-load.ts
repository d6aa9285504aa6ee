/** The built files that a browser loads for the overview or the list of links, and how large they are. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const BUILD = resolve(import.meta.dirname, "../../dist/dashboard");
export const ASSETS = `${BUILD}/assets`;

/** Compressed bytes at most, by page. */
export const FIRST_LOAD_MAX = { overview: 175_000, links: 185_000 } as const;

export function readAsset(name: string): string {
  return readFileSync(`${ASSETS}/${name}`, "utf8");
}

/** The page's script and styles, a part's chunk with its styles, and all their imports. */
export function firstLoad(part: keyof typeof FIRST_LOAD_MAX): string[] {
  const page = readFileSync(`${BUILD}/index.html`, "utf8");
  const named = [...page.matchAll(/\/dashboard\/assets\/([\w.~-]+\.(?:js|css))"/g)].map(([, name = ""]) => name);
  const list = readdirSync(ASSETS).filter((name) => new RegExp(String.raw`^${part}-[\w-]{8}\.(?:js|css)$`).test(name));
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    if (!name.endsWith(".js")) return;
    const imports = readAsset(name).matchAll(/(?:from|import)["'`]\.\/([\w.~-]+\.js)["'`]/g);
    for (const [, imported = ""] of imports) load(imported);
  };
  for (const name of [...named, ...list]) load(name);
  return [...loaded];
}

export function gzipBytes(name: string): number {
  return gzipSync(readAsset(name)).length;
}
