/** Counts calls that Workers' plans limit: one invocation's calls to databases, objects, buckets and other bindings. */

/** Cloudflare's limits do not say how a batch counts: here each of its statements does. */
export interface Calls {
  calls: number;
  /** The same by the binding that was called; `put` of a binding also as `NAME.put`. */
  callsTo: Record<string, number>;
  /**
   * The most calls that waited for their first answer at the same time. Cloudflare does not list those to objects.
   * https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
   */
  connections: number;
  /** Rows that statements have read in databases. */
  rowsRead: number;
  /** Rows that statements have written in databases. */
  rowsWritten: number;
}

const RUN_METHODS: ReadonlySet<unknown> = new Set(["run", "all", "first", "raw"]);

type Method = (...given: unknown[]) => unknown;

/** Counts a connection until its first answer arrives. */
type Connect = <T>(answer: T) => T;

/**
 * The same bindings, with every call added to `counted`, except rate limits, which count where the Worker runs.
 * `connect` adds connections that are made without a binding.
 */
export function countCalls(env: Env): { env: Env; counted: Calls; connect: Connect } {
  const counted: Calls = { calls: 0, callsTo: {}, connections: 0, rowsRead: 0, rowsWritten: 0 };
  const watched = Object.entries(env).map(([name, binding]) => [name, watch(name, binding)]);
  let open = 0;
  return { env: Object.fromEntries(watched) as Env, counted, connect };

  function connect<T>(answer: T): T {
    if (!(answer instanceof Promise)) return answer;
    counted.connections = Math.max(counted.connections, ++open);
    return answer.finally(() => open--) as T;
  }

  function watch(name: string, binding: unknown): unknown {
    if (typeof binding !== "object" || binding === null || "limit" in binding) return binding;
    const countAs = (key: string, calls: number) => {
      counted.callsTo[key] = (counted.callsTo[key] ?? 0) + calls;
    };
    const count = (calls: number) => {
      counted.calls += calls;
      countAs(name, calls);
    };
    const addRows: AddRows = ({ rows_read, rows_written }) => {
      counted.rowsRead += rows_read;
      counted.rowsWritten += rows_written;
    };
    if ("prepare" in binding) return countStatements(binding, count, connect, addRows);
    const counting = (original: object, asConnection: Connect) =>
      around(original, (called, method, given) => {
        count(1);
        if (called === "put") countAs(`${name}.put`, 1);
        return asConnection(method(...given));
      });
    if (!("getByName" in binding)) return counting(binding, connect);
    return around(binding, (_, method, given) => counting(method(...given) as object, (answer) => answer));
  }
}

type AddRows = (meta: D1Meta) => void;

function countStatements(database: object, count: (calls: number) => void, connect: Connect, addRows: AddRows): object {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const read = async (answer: Promise<D1Result>) => {
    const result = await connect(answer);
    addRows(result.meta);
    return result;
  };
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const watched = around(original, (name, method, given) => {
      if (name === "bind") return statement(method(...given) as D1PreparedStatement);
      if (!RUN_METHODS.has(name)) return method(...given);
      count(1);
      if (name === "all" || name === "run") return read(method() as Promise<D1Result>);
      return name === "first" ? first(original, given[0] as string | undefined) : connect(method(...given));
    });
    originals.set(watched, original);
    return watched;
  };
  const first = async (original: D1PreparedStatement, column?: string) => {
    const [row] = (await read(original.all())).results as Record<string, unknown>[];
    return (column === undefined ? row : row?.[column]) ?? null;
  };
  const batch = async (statements: readonly D1PreparedStatement[], method: Method) => {
    count(statements.length);
    const results = (await connect(method(statements.map((one) => originals.get(one) ?? one)))) as D1Result[];
    for (const { meta } of results) addRows(meta);
    return results;
  };
  const watch = (original: object): object =>
    around(original, (name, method, given) => {
      if (name === "prepare") return statement(method(...given) as D1PreparedStatement);
      if (name === "withSession") return watch(method(...given) as object);
      return name === "batch" ? batch(given[0] as D1PreparedStatement[], method) : method(...given);
    });
  return watch(database);
}

/** Passes every call of a method to `act`. */
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
