/** Databases that do something else before each call: another request in between, or a failure. */
import { withDatabases } from "./link-databases.ts";

const RUN_METHODS: ReadonlySet<string> = new Set(["run", "all", "first", "raw"]);

/**
 * The same bindings, with `before` awaited ahead of each call to a database that can have links: of a statement, or of
 * a batch of them. When it throws, the call is not made.
 * @param before  gets the name of the binding, and the number of previous calls
 */
export function withInterruptions<Bindings extends Env>(
  on: Bindings,
  before: (name: string, calls: number) => Promise<void>,
): Bindings {
  let calls = 0;
  const originals = new WeakMap<object, D1PreparedStatement>();
  const statement = (name: string, original: D1PreparedStatement): D1PreparedStatement => {
    const watched = new Proxy(original, {
      get(target, method: keyof D1PreparedStatement) {
        const call = (...given: unknown[]) => Reflect.apply(target[method], target, given) as unknown;
        if (method === "bind") return (...given: unknown[]) => statement(name, call(...given) as D1PreparedStatement);
        if (!RUN_METHODS.has(method)) return call;
        return async (...given: unknown[]) => {
          await before(name, calls++);
          return call(...given);
        };
      },
    });
    originals.set(watched, original);
    return watched;
  };
  const database = (original: D1Database, name: string): D1Database => {
    const interrupted = {
      prepare: (sql: string) => statement(name, original.prepare(sql)),
      withSession: (start: D1SessionBookmark) => database(original.withSession(start) as unknown as D1Database, name),
      batch: async (statements: D1PreparedStatement[]) => {
        await before(name, calls++);
        return original.batch(statements.map((each) => originals.get(each) ?? each));
      },
    };
    return interrupted as unknown as D1Database;
  };
  return withDatabases(on, database);
}
