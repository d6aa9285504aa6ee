/** A database whose statements go through a function of the test, which may inspect, delay or refuse them. */

interface WatchedStatement {
  sql: string;
  values: readonly unknown[];
}

/** @param execute  queries the database */
export type Watch = (statements: readonly WatchedStatement[], execute: () => Promise<unknown>) => Promise<unknown>;

const RUN_METHODS: ReadonlySet<string> = new Set(["run", "all", "first", "raw"]);

export function watchDatabase(database: D1Database, watch: Watch): D1Database {
  const known = new WeakMap<object, WatchedStatement & { original: D1PreparedStatement }>();
  const watchStatement = (
    original: D1PreparedStatement,
    sql: string,
    values: readonly unknown[],
  ): D1PreparedStatement => {
    const statement = methodsOf(original, (name, call, given) => {
      if (name === "bind") return watchStatement(call(...given) as D1PreparedStatement, sql, given);
      return RUN_METHODS.has(name) ? watch([{ sql, values }], async () => call(...given)) : call(...given);
    });
    known.set(statement, { sql, values, original });
    return statement;
  };
  const watchOne = <T extends object>(original: T): T =>
    methodsOf(original, (name, call, given) => {
      if (name === "prepare") return watchStatement(call(...given) as D1PreparedStatement, String(given[0]), []);
      if (name === "withSession") return watchOne(call(...given) as object);
      if (name !== "batch") return call(...given);
      const statements = (given[0] as D1PreparedStatement[]).flatMap((statement) => known.get(statement) ?? []);
      return watch(statements, async () => call(statements.map(({ original }) => original)));
    });
  return watchOne(database);
}

type Call = (...given: unknown[]) => unknown;

/** Passes every call of a method to `act`. */
function methodsOf<T extends object>(original: T, act: (name: string, call: Call, given: unknown[]) => unknown): T {
  return new Proxy(original, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const call: Call = (...passed) => Reflect.apply(value, target, passed) as unknown;
      return (...given: unknown[]) => act(String(name), call, given);
    },
  });
}
