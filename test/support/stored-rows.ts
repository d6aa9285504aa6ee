/** All stored data as text: every row of D1, of every link's object and of every account's objects. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { linkDatabases } from "../../src/store/directory/databases.ts";

/** Rows of the tables of one object, without SQLite's internal tables. */
export async function rowsOfObject(object: DurableObjectStub): Promise<string[]> {
  return runInDurableObject(object, async (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .toArray();
    const rows = tables.flatMap(({ name }) => [
      `table ${name}`,
      ...storage.sql.exec(`SELECT * FROM "${name}"`).toArray().map(textOf),
    ]);
    const alarm = await storage.getAlarm();
    return alarm === null ? rows : [...rows, `alarm ${alarm}`];
  });
}

export async function allStoredRows(): Promise<string[]> {
  const namespaces = [env.LINK_CLICKS, env.ACCOUNT_FEED, env.ACCOUNT_CLICKS] as unknown as DurableObjectNamespace[];
  const inObjects = namespaces.map(async (namespace) => {
    const ids = await listDurableObjectIds(namespace);
    return (await Promise.all(ids.map((id) => rowsOfObject(namespace.get(id))))).flat();
  });
  return [...(await rowsOfDatabase()), ...(await Promise.all(inObjects)).flat()];
}

/** Rows of every database that has links, each with its table's name in front. */
export async function rowsOfDatabase(): Promise<string[]> {
  return (await Promise.all(linkDatabases(env).map(rowsOfOne))).flat();
}

async function rowsOfOne(database: D1Database): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*'")
    .all<{ name: string }>();
  const rows = results.map(async ({ name }) => {
    const table = await database.prepare(`SELECT * FROM "${name}"`).all();
    return table.results.map((row) => `${name} ${textOf(row)}`);
  });
  return (await Promise.all(rows)).flat();
}

/** A row as text, including the text in its blobs. */
function textOf(row: Record<string, unknown>): string {
  return JSON.stringify(row, (_, value: unknown) => {
    if (value instanceof ArrayBuffer) return new TextDecoder("latin1").decode(value);
    return value;
  });
}
