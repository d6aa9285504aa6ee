/**
 * Wrappers of a database. A guarded one fails its statements if a preceding guard statement fails: D1 has no
 * interactive transactions, so each statement or batch runs as a batch that begins with the guard. All calls of a
 * watched one go through one function, which may note their failures or repeat them.
 */

/**
 * Has only the members that statements on links use. The same guard returns the same object, so that statements can be
 * grouped by database.
 * @param value  value of the guard's only parameter
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
    const inner = statements.map((statement) => statementsBehind.get(statement) ?? statement);
    return (await database.batch<Row>([guard(), ...inner])).slice(1);
  };
  const guarded: D1Database = {
    prepare: (sql: string) => guardedStatement(database.prepare(sql), batch),
    batch,
    withSession: () => guarded,
  } as unknown as D1Database;
  databasesBehind.set(guarded, database);
  return guarded;
}

const databasesBehind = new WeakMap<D1Database, D1Database>();
const statementsBehind = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/** Returns the database that a guarded one wraps. */
export function unguarded(database: D1Database): D1Database {
  return databasesBehind.get(database) ?? database;
}

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result<Record<string, unknown>>[]>;

function guardedStatement(statement: D1PreparedStatement, batch: Batch): D1PreparedStatement {
  const all = async () => {
    const [result] = await batch([statement]);
    if (!result) throw new Error("the database returned no result");
    return result;
  };
  const first = async (column?: string) => {
    const [row] = (await all()).results;
    return column === undefined ? (row ?? null) : (row?.[column] ?? null);
  };
  const bind = (...values: unknown[]) => guardedStatement(statement.bind(...values), batch);
  const guarded = { bind, all, run: all, first } as unknown as D1PreparedStatement;
  statementsBehind.set(guarded, statement);
  return guarded;
}

/**
 * A database whose calls all go through one function, which may note their failures or repeat them. Has the methods that
 * better-auth and the store call.
 */
export function watchedDatabase(database: D1Database, watch: <T>(call: () => Promise<T>) => Promise<T>): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const statementOf = (original: D1PreparedStatement): D1PreparedStatement => {
    const watched = {
      bind: (...values: unknown[]) => statementOf(original.bind(...values)),
      all: () => watch(() => original.all()),
      run: () => watch(() => original.run()),
      raw: () => watch(() => original.raw()),
      first: (column?: string) => watch(() => (column === undefined ? original.first() : original.first(column))),
    } as D1PreparedStatement;
    originals.set(watched, original);
    return watched;
  };
  const watched = {
    prepare: (sql: string) => statementOf(database.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      watch(() => database.batch(statements.map((each) => originals.get(each) ?? each))),
    exec: (sql: string) => watch(() => database.exec(sql)),
    withSession: () => watched,
  };
  return watched as unknown as D1Database;
}
