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
