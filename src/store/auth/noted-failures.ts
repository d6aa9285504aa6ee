/** A database whose failures are noted: better-auth turns them into refusals, or answers as if nothing had happened. */
import { isTransient } from "../timeout.ts";

interface NotedFailures {
  database: D1Database;
  /** @throws the first failure of a kind that passes, which the API answers with 503 */
  rethrow: () => void;
}

/** Has the calls that better-auth makes. */
export function noteFailures(database: D1Database): NotedFailures {
  let first: unknown = null;
  const noted = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      if (first === null && isTransient(error)) first = error;
      throw error;
    });
  const plain = new WeakMap<object, D1PreparedStatement>();
  const statementOf = (statement: D1PreparedStatement): D1PreparedStatement => {
    const watched = {
      bind: (...values: unknown[]) => statementOf(statement.bind(...values)),
      all: () => noted(statement.all()),
      first: () => noted(statement.first()),
      run: () => noted(statement.run()),
    } as unknown as D1PreparedStatement;
    plain.set(watched, statement);
    return watched;
  };
  const watched = {
    prepare: (sql: string) => statementOf(database.prepare(sql)),
    batch: (all: D1PreparedStatement[]) => noted(database.batch(all.map((one) => plain.get(one) ?? one))),
    exec: (sql: string) => noted(database.exec(sql)),
  } as unknown as D1Database;
  const rethrow = () => {
    if (first !== null) throw first;
  };
  return { database: watched, rethrow };
}
