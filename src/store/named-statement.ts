/** Statements with named parameters (`:name`). D1 binds by position only, and no compiler finds a wrong position. */

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;

interface CompiledSql {
  text: string;
  /** In the order of their positions in the statement. */
  names: readonly string[];
}

/** Cache of compiled statements. Not bounded: the texts are constants of the code. */
const compiledTexts = new Map<string, CompiledSql>();

/** @param sql  a constant; values are passed as parameters only */
export function prepareNamed(
  database: D1Database,
  sql: string,
  values: Readonly<Record<string, SqlValue>>,
): D1PreparedStatement {
  const { text, names } = compiled(sql);
  const bound = names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for the parameter ${name}`);
    return value;
  });
  return database.prepare(text).bind(...bound);
}

function compiled(sql: string): CompiledSql {
  const known = compiledTexts.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/:([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const made = { text, names };
  compiledTexts.set(sql, made);
  return made;
}

/** A value bound to a statement of D1 has at most 2 MB, and a UTF-16 unit takes three bytes at most. */
const TEXT_MAX_UNITS = 600_000;

/** As few texts as D1 takes: one, unless the rows are unusually long. A row must fit into a text. */
export function jsonTexts(rows: readonly unknown[]): string[] {
  if (rows.length === 0) return [];
  const text = JSON.stringify(rows);
  if (text.length <= TEXT_MAX_UNITS || rows.length === 1) return [text];
  const half = Math.ceil(rows.length / 2);
  return [...jsonTexts(rows.slice(0, half)), ...jsonTexts(rows.slice(half))];
}
