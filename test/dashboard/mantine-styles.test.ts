/** The page loads the styles of exactly those Mantine components that the build contains. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const ASSETS = join(ROOT, "dist/dashboard/assets");
const STYLES = dirname(createRequire(import.meta.url).resolve("@mantine/core/styles/global.css"));
const CLASS = /\bm_[0-9a-f]{6,8}\b/g;

test("no component lacks its styles, and no unused styles are loaded", () => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
  const used = new Set(scripts.flatMap((name) => readFileSync(join(ASSETS, name), "utf8").match(CLASS) ?? []));
  const files = readdirSync(STYLES).filter((name) => name.endsWith(".css") && !name.endsWith(".layer.css"));
  const needed = files.filter((name) => {
    const classes = readFileSync(join(STYLES, name), "utf8").match(CLASS) ?? [];
    return classes.length === 0 || classes.some((one) => used.has(one));
  });
  const list = ["mantine", "mantine-later"].map((name) =>
    readFileSync(join(ROOT, `src/dashboard/${name}.css`), "utf8"),
  );
  const imported = [...list.join("\n").matchAll(/@import "@mantine\/core\/styles\/([\w-]+\.css)";/g)].map(
    ([, name = ""]) => name,
  );
  expect(imported.toSorted()).toEqual(needed.toSorted());
});
