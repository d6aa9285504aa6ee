/**
 * A database whose statements fail together with a statement before them. D1 has no interactive transactions: so each
 * statement, or batch, is a batch that begins with that one.
 */

/**
 * Only the members that statements on links use. With the same guard it is the same database, so that statements can be
 * grouped by database.
 * @param value  of the guard's one parameter
 */
export function guardedDatabase(database: D1Database, guardSql: string, value: string): D1Database {
  const known = guardedDatabases.get(database);
  if (known?.guardSql === guardSql && known.value === value) return known.guarded;
  const guarded = newGuardedDatabase(database, () => database.prepare(guardSql).bind(value));
  guardedDatabases.set(database, { guardSql, value, guarded });
  return guarded;
}

const guardedDatabases = new WeakMap<D1Database, { guardSql: string; value: string; guarded: D1Database }>();

function newGuardedDatabase(database: D1Database, guard: () => D1PreparedStatement): D1Database {
  const batch = async <Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> => {
    const inner = statements.map((statement) => (statement as unknown as GuardedStatement).inner ?? statement);
    return (await database.batch<Row>([guard(), ...inner])).slice(1);
  };
  const guarded = {
    prepare: (sql: string) => new GuardedStatement(database.prepare(sql), batch),
    batch,
    withSession: () => guarded,
  };
  const made = guarded as unknown as D1Database;
  databasesBehind.set(made, database);
  return made;
}

const databasesBehind = new WeakMap<D1Database, D1Database>();

/** The database itself, of a guarded one. */
export function unguarded(database: D1Database): D1Database {
  return databasesBehind.get(database) ?? database;
}

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result<Record<string, unknown>>[]>;

class GuardedStatement {
  readonly inner: D1PreparedStatement;
  readonly #batch: Batch;

  constructor(inner: D1PreparedStatement, batch: Batch) {
    this.inner = inner;
    this.#batch = batch;
  }

  bind(...values: unknown[]): GuardedStatement {
    return new GuardedStatement(this.inner.bind(...values), this.#batch);
  }

  async all(): Promise<D1Result> {
    const [result] = await this.#batch([this.inner]);
    if (!result) throw new Error("the database gave no answer");
    return result;
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results as Record<string, unknown>[];
    return column === undefined ? (row ?? null) : (row?.[column] ?? null);
  }
}
