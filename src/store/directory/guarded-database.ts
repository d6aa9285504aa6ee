/**
 * A database whose statements fail if a preceding guard statement fails. D1 has no interactive transactions, so each
 * statement or batch runs as a batch that begins with the guard.
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
