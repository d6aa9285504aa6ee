/**
 * A deployed database for commands: the part of D1's interface that the store's functions for operators use, on top of
 * any executor of SQL.
 */
import { Buffer } from "node:buffer";

type SqlValue = string | number | null | Uint8Array;
/** Executes statements, separated by semicolons, as one transaction. */
export type ExecuteSql = (sql: string) => Promise<D1Result[]>;

export function databaseOver(execute: ExecuteSql): D1Database {
  const prepare = (sql: string) => remoteStatement(execute, sql, []);
  const batch = (statements: RemoteStatement[]) => execute(statements.map(({ sql }) => sql).join(";\n"));
  // Only the members of D1Database that the store's functions for operators use.
  const database = { prepare, batch, withSession: () => database };
  return database as unknown as D1Database;
}

type RemoteStatement = ReturnType<typeof remoteStatement>;

function remoteStatement(execute: ExecuteSql, template: string, values: SqlValue[]) {
  const sql = inlineParameters(template, values);
  const all = async () => resultOf(await execute(sql));
  return {
    sql,
    bind: (...bound: SqlValue[]) => remoteStatement(execute, template, bound),
    all,
    run: all,
    first: async () => (await all()).results[0] ?? null,
  };
}

function resultOf([result]: D1Result[]): D1Result {
  if (!result) throw new Error("the database returned no result");
  return result;
}

/**
 * Inlines parameters as literals, because the API accepts none for several statements: strings quoted, blobs in
 * hexadecimal, numbers as they are.
 * @internal
 */
export function inlineParameters(sql: string, values: readonly SqlValue[]): string {
  return sql.replace(/\?(\d+)/g, (_, index: string) => sqlLiteral(values[Number(index) - 1] ?? null));
}

function sqlLiteral(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return `X'${Buffer.from(value).toString("hex")}'`;
}
