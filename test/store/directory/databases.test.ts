/** Links can move to separate databases only while no other statement reads them and theirs read nothing else. */
/// <reference types="vite/types/importMeta.d.ts" />
import { expect, test } from "vitest";

const sources = import.meta.glob<string>("/src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Objects have their own tables, one of which is also named links. */
const inStore = Object.entries(sources).filter(([path]) => path.includes("/src/store/"));
const inDirectory = inStore.filter(([path]) => path.includes("/src/store/directory/"));
const inLinks = inStore.filter(([path]) => path.includes("/src/store/links/"));

const named = (tables: string) => new RegExp(`\\b(FROM|JOIN|INTO|UPDATE)\\s+(${tables})\\b`);
const pathsNaming = (files: typeof inStore, tables: string) =>
  files.filter(([, text]) => named(tables).test(text)).map(([path]) => path.slice(1));

test("the tables of links are named in src/store/links and src/store/directory alone", () => {
  expect(inLinks.length).toBeGreaterThan(10);
  expect(pathsNaming(inLinks, "links")).toContain("src/store/links/links.ts");
  const elsewhere = inStore.filter((file) => !inLinks.includes(file) && !inDirectory.includes(file));
  expect(pathsNaming(elsewhere, "links|link_outbox")).toEqual([]);
});

test("statements on links read no table of another database, except those in domain-joins.ts", () => {
  const others = "accounts|api_keys|domains|qr_codes|closed_accounts|idempotency";
  expect(pathsNaming(inLinks, others)).toEqual(["src/store/links/domain-joins.ts"]);
});

/** Exports that other code may use without knowing how many databases there are. */
const OPEN_NAMES = new Set([
  "callsLeft",
  "databasesProblem",
  "groupByDatabase",
  "type LinkKey",
  "linksDatabase",
  "type LinksEnv",
  "placeNameOf",
]);

test("only src/store/directory knows how many databases there are, and which buckets move", () => {
  const outside = Object.entries(sources).filter(([path]) => !path.includes("/src/store/directory/"));
  const namesFrom = (file: string, text: string) =>
    [...text.matchAll(new RegExp(`import (type )?([^;]*?) from "[^"]*directory/${file}\\.ts"`, "g"))].flatMap(
      ([, type = "", names = ""]) => names.split(/[{},]/).flatMap((name) => (name.trim() ? [type + name.trim()] : [])),
    );
  const imports = outside.flatMap(([path, text]) =>
    namesFrom("databases", text).map((name) => ({ path: path.slice(1), name })),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter(({ name }) => !OPEN_NAMES.has(name))).toEqual([]);
  // Setup creates the databases of the map.
  const ofMap = outside.filter(([path]) => !path.startsWith("/src/cli/"));
  expect(ofMap.flatMap(([, text]) => namesFrom("database-map", text))).toEqual([]);
  const other = /import\("[^"]*directory\/database(s|-map)\.ts"\)|\bisMoving\b/;
  expect(outside.filter(([, text]) => other.test(text)).map(([path]) => path)).toEqual([]);
});
