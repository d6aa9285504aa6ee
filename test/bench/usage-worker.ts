/**
 * The Worker with its billed usage other than requests: rows that its statements read and write in the database, and
 * calls to links' objects. `/.usage` answers with the usage since the last query. Never deployed.
 */
import type { ClickBatch } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import worker from "../../src/worker.ts";

export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export interface BilledUsage {
  rowsRead: number;
  rowsWritten: number;
  /** A batch has several statements. */
  statements: number;
  /** Calls to links' objects, with clicks. */
  calls: number;
  /** Total duration of these calls. */
  callsMs: number;
}

let usage: BilledUsage = noUsage();

function noUsage(): BilledUsage {
  return { rowsRead: 0, rowsWritten: 0, statements: 0, calls: 0, callsMs: 0 };
}

const originals = new WeakMap<object, D1PreparedStatement>();

function metered<T>(result: D1Result<T>): D1Result<T> {
  usage.rowsRead += result.meta.rows_read;
  usage.rowsWritten += result.meta.rows_written;
  usage.statements++;
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

function meteredObjects(original: Env["LINK_CLICKS"]): Env["LINK_CLICKS"] {
  return {
    getByName: (name: string) => {
      const stub = original.getByName(name);
      const record = async (batch: ClickBatch) => {
        const startedAt = Date.now();
        const recorded = await stub.record(batch);
        usage.calls++;
        usage.callsMs += Date.now() - startedAt;
        return recorded;
      };
      return new Proxy(stub, {
        get: (target, member) => (member === "record" ? record : (Reflect.get(target, member) as unknown)),
      });
    },
  } as Env["LINK_CLICKS"];
}

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/.usage") {
      const counted = usage;
      usage = noUsage();
      return Response.json(counted);
    }
    const metered = { ...env, DB: meteredDatabase(env.DB), LINK_CLICKS: meteredObjects(env.LINK_CLICKS) };
    return worker.fetch(request, metered, ctx);
  },
} satisfies ExportedHandler<Env>;
