/** Counts what Workers' plans limit: calls of one invocation to databases, objects, buckets and other bindings. */

/** Cloudflare's limits do not say how a batch counts: here each of its statements does. */
export interface Calls {
  calls: number;
}

const RUN_METHODS: ReadonlySet<unknown> = new Set(["run", "all", "first", "raw"]);

type Method = (...given: unknown[]) => unknown;

/** The same bindings, with every call added to `counted`. Rate limits are no calls: they are counted where the Worker runs. */
export function countCalls(env: Env): { env: Env; counted: Calls } {
  const counted: Calls = { calls: 0 };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const watched = around(original, (name, method, given) => {
      if (name === "bind") return statement(method(...given) as D1PreparedStatement);
      if (RUN_METHODS.has(name)) count(1);
      return method(...given);
    });
    originals.set(watched, original);
    return watched;
  };
  const count = (calls: number) => {
    counted.calls += calls;
  };
  const database = (original: object): object =>
    around(original, (name, method, given) => {
      if (name === "prepare") return statement(method(...given) as D1PreparedStatement);
      if (name === "withSession") return database(method(...given) as object);
      if (name !== "batch") return method(...given);
      const batch = given[0] as D1PreparedStatement[];
      count(batch.length);
      return method(batch.map((one) => originals.get(one) ?? one));
    });
  const object = (original: object): object =>
    around(original, (_, method, given) => {
      count(1);
      return method(...given);
    });
  const objects = (original: object): object =>
    around(original, (_, method, given) => object(method(...given) as object));
  const watched = Object.entries(env).map(([name, binding]) => {
    if (typeof binding !== "object" || binding === null || "limit" in binding) return [name, binding];
    if ("prepare" in binding) return [name, database(binding)];
    return [name, "getByName" in binding ? objects(binding) : object(binding)];
  });
  return { env: Object.fromEntries(watched) as Env, counted };
}

/** Hands every call of a method to `act`. */
function around<T extends object>(original: T, act: (name: string, method: Method, given: unknown[]) => unknown): T {
  return new Proxy(original, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) =>
        act(String(name), (...passed) => Reflect.apply(value, target, passed) as unknown, given);
    },
  });
}
