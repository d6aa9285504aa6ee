/** Counts what the database reads, as D1 bills it. */

/** The same bindings with a database that adds the rows of every `all()` and `first()` to `counted`. */
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
  const DB = { prepare: (sql: string) => watched(env.DB.prepare(sql)) } as D1Database;
  return { env: { ...env, DB }, counted };
}
