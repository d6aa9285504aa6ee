/**
 * Maps the members of a record to the columns of a table. Reading and writing use the same list, so they cannot differ.
 */
export interface Column<Value> {
  name: string;
  toSql: (value: Value) => SqlValue;
  fromSql: (value: SqlValue) => Value;
  /** Whether the member is absent when the column is null. */
  isOptional?: boolean;
}

/** The column of each member. A member without one fails to compile. */
export type Columns<Shape> = { readonly [Member in keyof Shape]-?: Column<Exclude<Shape[Member], undefined>> };

/** The record type whose columns a list has. */
export type RecordOf<Listed> = { [Member in keyof Listed]: Listed[Member] extends Column<infer Value> ? Value : never };

/** A column whose value is stored unchanged. */
export function plain<Value extends SqlValue>(name: string): Column<Value> {
  return { name, toSql: (value) => value, fromSql: (value) => value as Value };
}

export function optional<Value extends SqlValue>(name: string): Column<Value> {
  return { ...plain(name), isOptional: true };
}

/** A column with 1 or null. */
export function flag(name: string): Column<boolean> {
  return { name, toSql: (value) => (value ? 1 : null), fromSql: (value) => value === 1 };
}

export function json<Value>(name: string): Column<Value> {
  return { name, toSql: (value) => JSON.stringify(value), fromSql: (value) => JSON.parse(String(value)) as Value };
}

export function jsonOrNull<Value>(name: string): Column<Value | null> {
  return {
    name,
    toSql: (value) => (value === null ? null : JSON.stringify(value)),
    fromSql: (value) => (value === null ? null : (JSON.parse(String(value)) as Value)),
  };
}

/** Reads a row; columns that are not listed are ignored. */
export function recordFromRow<Shape>(columns: Columns<Shape>, row: object): Shape {
  const values = row as Readonly<Record<string, SqlValue>>;
  const record: Record<string, unknown> = {};
  for (const [member, { name, fromSql, isOptional }] of entriesOf(columns)) {
    const value = values[name] ?? null;
    if (!isOptional || value !== null) record[member] = fromSql(value);
  }
  return record as Shape;
}

/** The value of every column by name, for `prepareNamed`; null for an absent member. */
export function rowFromRecord<Shape>(columns: Columns<Shape>, record: Shape): Record<string, SqlValue> {
  const absent = Object.fromEntries(columnNames(columns).map((name) => [name, null]));
  return { ...absent, ...valuesByColumn<Shape>(columns, record) };
}

/** The values of the given members, by column name. */
export function valuesByColumn<Shape>(columns: Columns<Shape>, members: Partial<Shape>): Record<string, SqlValue> {
  const values = members as Readonly<Record<string, unknown>>;
  const present = entriesOf(columns).filter(([member]) => values[member] !== undefined);
  return Object.fromEntries(present.map(([member, { name, toSql }]) => [name, toSql(values[member])]));
}

export function columnNames<Shape>(columns: Columns<Shape>): string[] {
  return entriesOf(columns).map(([, { name }]) => name);
}

/**
 * An INSERT of one row with a parameter per column, named like the column.
 * @param expressions  SQL that replaces the parameter, by column
 */
export function insertSql(
  table: string,
  names: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): string {
  const values = names.map((name) => expressions[name] ?? `:${name}`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`;
}

/**
 * An INSERT of many rows with one statement, since a Workers plan limits the statements of a request. The parameter
 * `:rows` is a JSON array of rows, each with the values of the columns in this order, then the others (`jsonTexts`).
 * @param expressions  SQL that replaces the value of a column; it reads the row as `new`
 * @param others  names of further values, for the expressions
 */
export function insertRowsSql(
  table: string,
  names: readonly string[],
  expressions: Readonly<Record<string, string>>,
  others: readonly string[],
): string {
  const read = [...names, ...others].map((name, i) => `value ->> '$[${i}]' AS ${name}`);
  const values = names.map((name) => expressions[name] ?? `new.${name}`);
  return `INSERT INTO ${table} (${names.join(", ")})
    SELECT ${values.join(", ")} FROM (SELECT ${read.join(", ")} FROM json_each(:rows)) AS new`;
}

/**
 * Assignments of an UPDATE that keeps the columns of absent members.
 * @param json  SQL of a JSON text that has the result of `valuesByColumn` at `path`
 */
export function assignmentsSql<Shape>(
  columns: Columns<Shape>,
  members: readonly (keyof Shape)[],
  json = ":changes",
  path = "$",
): string {
  const assignments = members.map((member) => {
    const { name } = columns[member];
    return `${name} = iif(json_type(${json}, '${path}.${name}') IS NULL, ${name}, ${json} ->> '${path}.${name}')`;
  });
  return assignments.join(", ");
}

/** Whether an UPDATE with the assignments of `assignmentsSql` changes any of the members. */
export function differsSql<Shape>(
  columns: Columns<Shape>,
  members: readonly (keyof Shape)[],
  json: string,
  path: string,
): string {
  const differs = members.map((member) => {
    const { name } = columns[member];
    return `json_type(${json}, '${path}.${name}') IS NOT NULL AND ${json} ->> '${path}.${name}' IS NOT ${name}`;
  });
  return `(${differs.join(" OR ")})`;
}

/** Compares rows by the columns of a key. The order matches the database's if the values are ASCII. */
export function compareKeys<Name extends string>(
  key: readonly Name[],
  one: Readonly<Record<Name, string | number | null>>,
  other: Readonly<Record<Name, string | number | null>>,
): number {
  for (const name of key) {
    const [left, right] = [one[name] ?? "", other[name] ?? ""];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

type Entries = readonly [string, Column<unknown>][];

/** The entries of each list of columns, created once: redirects read rows with them. */
const entriesByColumns = new WeakMap<object, Entries>();

function entriesOf<Shape>(columns: Columns<Shape>): Entries {
  let entries = entriesByColumns.get(columns);
  if (!entries) entriesByColumns.set(columns, (entries = Object.entries(columns)));
  return entries;
}

/** Statements with named parameters (`:name`). D1 binds only by position, and no compiler detects a wrong position. */

export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;

interface CompiledSql {
  text: string;
  /** Names in the order of their positions in the statement. */
  names: readonly string[];
}

/** Cache of compiled statements. Unbounded, because the texts are constants of the code. */
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

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; null when there is none. */
  nextCursor: string | null;
}

/** @param rows  one more than `limit` if there is a next page @param cursorOf  the last item's cursor */
export function pageOf<Item>(rows: readonly Item[], limit: number, cursorOf: (last: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorOf(last) };
}

/** A value bound to a D1 statement has at most 2 MB, and a UTF-16 unit takes at most three bytes. */
const TEXT_MAX_UNITS = 600_000;

/** Returns as few texts as D1 accepts: one, unless the rows are unusually long. Each row must fit into one text. */
export function jsonTexts(rows: readonly unknown[]): string[] {
  if (rows.length === 0) return [];
  const text = JSON.stringify(rows);
  if (text.length <= TEXT_MAX_UNITS || rows.length === 1) return [text];
  const half = Math.ceil(rows.length / 2);
  return [...jsonTexts(rows.slice(0, half)), ...jsonTexts(rows.slice(half))];
}

/** Statements with positional parameters (`?1`, `?2`, …), executed one by one. */

function bound(database: Pick<D1Database, "prepare">, sql: string, values: readonly SqlValue[]): D1PreparedStatement {
  return database.prepare(sql).bind(...values);
}

/** The rows that a statement returns. */
export async function queryRows<Row = Record<string, unknown>>(...to: Parameters<typeof bound>): Promise<Row[]> {
  return (await bound(...to).all<Row>()).results;
}

/** The first row that a statement returns; null without any. */
export function queryRow<Row = Record<string, unknown>>(...to: Parameters<typeof bound>): Promise<Row | null> {
  return bound(...to).first<Row>();
}

/** Executes a statement. @returns the number of rows that it has changed */
export async function changeRows(...by: Parameters<typeof bound>): Promise<number> {
  return (await bound(...by).run()).meta.changes;
}
