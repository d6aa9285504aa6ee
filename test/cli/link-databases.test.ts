/** The databases over which a development server spreads links. Once it has data, the data determines them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { chooseLinkDatabases, developmentConfigPath, linkDatabasesIn } from "../../src/cli/database.ts";
import { otherDatabaseNames, spreadBuckets } from "../../src/store/directory/database-map.ts";

interface D1 {
  binding: string;
  migrations_dir: string;
}

let state: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "hoplink-state-"));
});

afterEach(() => rmSync(state, { recursive: true }));

/** Creates the folder as the development server leaves it. */
const addData = () => mkdirSync(join(state, "v3/d1"), { recursive: true });

test("by default there is one database", async () => {
  expect(await chooseLinkDatabases(state, {})).toBeUndefined();
  expect(otherDatabaseNames(await linkDatabasesIn(state))).toEqual([]);
});

test("DATABASES is kept with the data: the next start uses the same number without the setting", async () => {
  expect(await chooseLinkDatabases(state, { DATABASES: "3" })).toBe(spreadBuckets(3));
  addData();
  expect(await chooseLinkDatabases(state, {})).toBe(spreadBuckets(3));
  expect(await chooseLinkDatabases(state, { DATABASES: "3" })).toBe(spreadBuckets(3));
  expect(otherDatabaseNames(await linkDatabasesIn(state))).toEqual(["LINKS_1", "LINKS_2"]);
});

test.each(["1", "4"])("DATABASES=%s is refused where the data has two, and changes nothing", async (DATABASES) => {
  await chooseLinkDatabases(state, { DATABASES: "2" });
  addData();
  await expect(chooseLinkDatabases(state, { DATABASES })).rejects.toThrow("are distributed differently");
  expect(await linkDatabasesIn(state)).toBe(spreadBuckets(2));
});

test("starting the server does not spread data in one database; moving buckets does", async () => {
  addData();
  await expect(chooseLinkDatabases(state, { DATABASES: "2" })).rejects.toThrow("has bucket 512 in LINKS_1");
  const moving = '{"DB":"0-511","LINKS_1":"512-1023 from DB"}';
  expect(await chooseLinkDatabases(state, { LINK_DATABASES: moving })).toBe(moving);
  expect(await chooseLinkDatabases(state, { LINK_DATABASES: spreadBuckets(2) })).toBe(spreadBuckets(2));
});

test.each(["0", "65", "four", "-1"])("DATABASES=%s is refused", async (DATABASES) => {
  await expect(chooseLinkDatabases(state, { DATABASES })).rejects.toThrow("DATABASES must be a number from 1 to 64");
});

test("a setting that cannot be read is refused before it is stored", async () => {
  await expect(chooseLinkDatabases(state, { LINK_DATABASES: '{"DB":"0-5"}' })).rejects.toThrow(
    "does not name bucket 6",
  );
  expect(await linkDatabasesIn(state)).toBeUndefined();
});

test("the configuration with several databases names each file where it is", async () => {
  const path = await developmentConfigPath(state, spreadBuckets(2));
  const { main = "", alias = {}, d1_databases } = JSON.parse(readFileSync(path, "utf8"));
  const files = [main, ...Object.values<string>(alias), ...d1_databases.map((one: D1) => one.migrations_dir)];
  expect(files.map((file) => resolve(state, file)).filter((file) => !existsSync(file))).toEqual([]);
  expect(d1_databases.map((one: D1) => one.binding)).toEqual(["DB", "LINKS_1"]);
});
