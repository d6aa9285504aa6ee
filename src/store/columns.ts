/**
 * Maps the members of a record to the columns of a table. Reading and writing use the same list, so they cannot differ.
 */
import type { SqlValue } from "./named-statement.ts";

export interface Column<Value> {
  name: string;
  toSql: (value: Value) => SqlValue;
  fromSql: (value: SqlValue) => Value;
  /** Whether the member is absent when the column is null. */
  isOptional?: boolean;
}

/** The column of each member. A member without one fails to compile. */
export type Columns<Shape> = { readonly [Member in keyof Shape]-?: Column<Exclude<Shape[Member], undefined>> };

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

/** Assignments of an UPDATE that keeps the columns of absent members, with the values of `assignmentValues`. */
export function assignmentsSql<Shape>(columns: Columns<Shape>, members: readonly (keyof Shape)[]): string {
  return members.map((member) => assignmentSql(columns[member].name)).join(", ");
}

function assignmentSql(name: string): string {
  return `${name} = iif(:sets_${name}, :${name}, ${name})`;
}

/** @param members  those of `assignmentsSql`; a member that is absent in `changes` keeps its value */
export function assignmentValues<Shape>(
  columns: Columns<Shape>,
  members: readonly (keyof Shape)[],
  changes: Partial<Shape>,
): Record<string, SqlValue> {
  const values = valuesByColumn(columns, changes);
  const names = members.map((member) => columns[member].name);
  return Object.fromEntries(
    names.flatMap((name) => [
      [`sets_${name}`, name in values ? 1 : 0],
      [name, values[name] ?? null],
    ]),
  );
}

type Entries = readonly [string, Column<unknown>][];

/** The entries of each list of columns, made once: redirects read rows with them. */
const entriesByColumns = new WeakMap<object, Entries>();

function entriesOf<Shape>(columns: Columns<Shape>): Entries {
  let entries = entriesByColumns.get(columns);
  if (!entries) entriesByColumns.set(columns, (entries = Object.entries(columns)));
  return entries;
}
