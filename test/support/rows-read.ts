/** Counts what databases read, as D1 bills it. */
import { withDatabases } from "./link-databases.ts";

/** The same bindings with databases that add the rows of every `all()` and `first()` to `counted`. */
export function withRowCount(env: Env): { env: Env; counted: { rows: number } } {
  const counted = { rows: 0 };
  const watched = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => watched(target.bind(...values));
        const all = async () => {
          const result = await target.all<Record<string, unknown>>();
          counted.rows += result.meta.rows_read;
          return result;
        };
        if (name === "all") return all;
        if (name !== "first") throw new Error(`rows of ${String(name)} are not counted`);
        return async (column?: string) => {
          const [row] = (await all()).results;
          return (column === undefined ? row : row?.[column]) ?? null;
        };
      },
    });
  const counting = (database: D1Database) =>
    ({ prepare: (sql: string) => watched(database.prepare(sql)) }) as D1Database;
  return { env: withDatabases(env, counting), counted };
}
