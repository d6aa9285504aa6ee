/** Compressed size of the built files that a browser loads for the first page or the list of links. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const BUILD = resolve(import.meta.dirname, "../../dist/dashboard");
const ASSETS = `${BUILD}/assets`;

const read = (name: string) => readFileSync(`${ASSETS}/${name}`, "utf8");

/** The page's script and styles, a part's chunk with its styles, and all their imports. */
function firstLoad(part: string): Set<string> {
  const page = readFileSync(`${BUILD}/index.html`, "utf8");
  const named = [...page.matchAll(/\/dashboard\/assets\/([\w.~-]+\.(?:js|css))"/g)].map(([, name = ""]) => name);
  const list = readdirSync(ASSETS).filter((name) => new RegExp(String.raw`^${part}-[\w-]{8}\.(?:js|css)$`).test(name));
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    if (!name.endsWith(".js")) return;
    for (const [, imported = ""] of read(name).matchAll(/(?:from|import)["'`]\.\/([\w.~-]+\.js)["'`]/g)) load(imported);
  };
  for (const name of [...named, ...list]) load(name);
  return loaded;
}

test.each([
  ["overview", 175_000],
  ["links", 185_000],
])("the first load of %s is at most %i bytes", (part, bytesMax) => {
  const sizes = [...firstLoad(part)].map((name) => [name, gzipSync(read(name)).length] as const);
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  const report = [...sizes].sort(([, a], [, b]) => b - a).map(([name, size]) => `${size} ${name}`);
  expect(report.join()).toMatch(new RegExp(` ${part}-.*\\.js`));
  expect(report.join()).toMatch(/ (?:main|routes|index)-.*\.js/);
  expect(bytes, `${bytes} bytes:\n${report.join("\n")}`).toBeLessThanOrEqual(bytesMax);
});

test.each(["overview", "links"])("the first load of %s uses none of the styles that are loaded later", (part) => {
  const classes = (name: string) => new Set(read(name).match(/\bm_[0-9a-f]{6,8}\b/g));
  const [later = ""] = readdirSync(ASSETS).filter((name) => name.startsWith("mantine-later-"));
  const early = [...firstLoad(part)];
  const styled = new Set(early.filter((name) => name.endsWith(".css")).flatMap((name) => [...classes(name)]));
  const used = new Set(early.filter((name) => name.endsWith(".js")).flatMap((name) => [...classes(name)]));
  expect(classes(later).size).toBeGreaterThan(50);
  expect([...classes(later)].filter((one) => used.has(one) && !styled.has(one))).toEqual([]);
});
