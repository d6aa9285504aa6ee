/** `DATABASES=4 npm run dev`: the whole product over four databases, together with the operator's commands. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { withLocalDatabase } from "../../src/cli/database.ts";
import { linkDatabases, linksDatabase } from "../../src/store/directory/databases.ts";
import { runAdmin } from "../support/admin-command.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const LINKS = 24;
const TIMEOUT_MS = 300_000;

let server: DevServer;

beforeAll(async () => {
  server = await startDevServer({ DATABASES: "4" }, undefined, ["--demo-links", String(LINKS)]);
});

afterAll(() => server.remove());

async function listedIds(): Promise<string[]> {
  const headers = { Authorization: `Bearer ${server.accounts.Premium.live}` };
  const response = await fetch(`${server.base}/v1/links?limit=100`, { headers });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

const admin = async (...args: string[]) => JSON.parse(await runAdmin(server.folder, ...args, "--json"));

test("links are spread, found as in one database, and found by the operator", { timeout: TIMEOUT_MS }, async () => {
  const ids = await listedIds();
  expect(ids).toHaveLength(LINKS);
  expect(ids).toEqual(ids.toSorted().toReversed());
  const counts = await withLocalDatabase(server.folder, (env) =>
    Promise.all(
      linkDatabases(env).map(async (database) => {
        const { results } = await database.prepare("SELECT id FROM links").all<{ id: string }>();
        for (const { id } of results) expect(linksDatabase(env, { id })).toBe(database);
        return results.length;
      }),
    ),
  );
  expect(counts.filter((count) => count > 0)).toHaveLength(4);
  const { data } = await admin("link", "list", "--account", "premium@demo.localhost");
  expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
  for (const { address } of data.slice(0, 4)) {
    expect(await admin("link", "disable", address)).toMatchObject({ state: "disabled" });
  }
});

test("a restart finds them without the setting, and refuses another number", { timeout: TIMEOUT_MS }, async () => {
  const { folder } = server;
  const before = await listedIds();
  await server.stop();
  await expect(startDevServer({ DATABASES: "2" }, folder)).rejects.toThrow("are distributed differently");
  server = await startDevServer({ DATABASES: "" }, folder);
  expect(await listedIds()).toEqual(before);
});
