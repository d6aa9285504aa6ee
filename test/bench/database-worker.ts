/**
 * The Worker on a database that counts the rows its statements read and write, as D1 bills them. `/.rows` answers with
 * the rows since it was last asked. Never deployed.
 */
import worker from "../../src/worker.ts";

export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export interface BilledRows {
  read: number;
  written: number;
  /** Statements, of which a batch has several. */
  statements: number;
}

let rows: BilledRows = { read: 0, written: 0, statements: 0 };

const originals = new WeakMap<object, D1PreparedStatement>();

function metered<T>(result: D1Result<T>): D1Result<T> {
  rows.read += result.meta.rows_read;
  rows.written += result.meta.rows_written;
  rows.statements++;
  return result;
}

function meteredStatement(original: D1PreparedStatement): D1PreparedStatement {
  const statement = {
    bind: (...values: unknown[]) => meteredStatement(original.bind(...values)),
    all: async <T>() => metered(await original.all<T>()),
    run: async <T>() => metered(await original.run<T>()),
    first: async (column?: string) => {
      const [row] = metered(await original.all<Record<string, unknown>>()).results;
      return (column === undefined ? row : row?.[column]) ?? null;
    },
  } as D1PreparedStatement;
  originals.set(statement, original);
  return statement;
}

function meteredDatabase(original: D1Database): D1Database {
  return {
    prepare: (sql: string) => meteredStatement(original.prepare(sql)),
    batch: async <T>(statements: D1PreparedStatement[]) =>
      (await original.batch<T>(statements.map((one) => originals.get(one) ?? one))).map(metered),
    withSession: (freshness: string) => meteredDatabase(original.withSession(freshness) as unknown as D1Database),
  } as unknown as D1Database;
}

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/.rows") {
      const counted = rows;
      rows = { read: 0, written: 0, statements: 0 };
      return Response.json(counted);
    }
    return worker.fetch(request, { ...env, DB: meteredDatabase(env.DB) }, ctx);
  },
} satisfies ExportedHandler<Env>;
