/** Counts rows read by databases, as D1 bills them. */
import { withDatabases } from "./link-databases.ts";

/** The same bindings with databases that add the rows of every `all()`, `first()` and `batch()` to `counted`. */
export function withRowCount(env: Env): { env: Env; counted: { rows: number } } {
  const counted = { rows: 0 };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const watched = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => watched(target.bind(...values));
        const all = async () => {
          const result = await target.all<Record<string, unknown>>();
          counted.rows += result.meta.rows_read;
          return result;
        };
        if (name === "all" || name === "run") return all;
        if (name !== "first") throw new Error(`rows of ${String(name)} are not counted`);
        return async (column?: string) => {
          const [row] = (await all()).results;
          return (column === undefined ? row : row?.[column]) ?? null;
        };
      },
    });
    originals.set(proxy, statement);
    return proxy;
  };
  const counting = (database: D1Database) =>
    ({
      prepare: (sql: string) => watched(database.prepare(sql)),
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await database.batch(statements.map((each) => originals.get(each) ?? each));
        for (const { meta } of results) counted.rows += meta.rows_read;
        return results;
      },
    }) as unknown as D1Database;
  return { env: withDatabases(env, counting), counted };
}
