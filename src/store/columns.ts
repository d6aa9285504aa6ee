/** A table's columns, listed once: rows are read, and statements made, by the same list. */
import type { SqlValue } from "./named-statement.ts";

export interface Column<Value> {
  name: string;
  toSql: (value: Value) => SqlValue;
  fromSql: (value: SqlValue) => Value;
  /** Whether the member is left out where the column is null. */
  isOptional?: boolean;
}

/** The column of each member. A member without one fails to compile. */
export type Columns<Shape> = { readonly [Member in keyof Shape]-?: Column<Exclude<Shape[Member], undefined>> };

/** Kept as it is. */
export function plain<Value extends SqlValue>(name: string): Column<Value> {
  return { name, toSql: (value) => value, fromSql: (value) => value as Value };
}

export function optional<Value extends SqlValue>(name: string): Column<Value> {
  return { ...plain(name), isOptional: true };
}

export function json<Value>(name: string): Column<Value> {
  return { name, toSql: (value) => JSON.stringify(value), fromSql: (value) => JSON.parse(String(value)) as Value };
}

/** Reads a row; columns that are not listed are passed over. */
export function recordFromRow<Shape>(columns: Columns<Shape>, row: object): Shape {
  const values = row as Readonly<Record<string, SqlValue>>;
  const members = entriesOf(columns).flatMap(([member, { name, fromSql, isOptional }]) => {
    const value = values[name] ?? null;
    return isOptional && value === null ? [] : [[member, fromSql(value)]];
  });
  return Object.fromEntries(members) as Shape;
}

/** The value of every column by its name, for `prepareNamed`; null where a member is left out. */
export function rowFromRecord<Shape>(columns: Columns<Shape>, record: Shape): Record<string, SqlValue> {
  const absent = Object.fromEntries(columnNames(columns).map((name) => [name, null]));
  return { ...absent, ...valuesByColumn<Shape>(columns, record) };
}

/** The values of the members that are there, by their columns' names. */
export function valuesByColumn<Shape>(columns: Columns<Shape>, members: Partial<Shape>): Record<string, SqlValue> {
  const values = members as Readonly<Record<string, unknown>>;
  const present = entriesOf(columns).filter(([member]) => values[member] !== undefined);
  return Object.fromEntries(present.map(([member, { name, toSql }]) => [name, toSql(values[member])]));
}

export function columnNames<Shape>(columns: Columns<Shape>): string[] {
  return entriesOf(columns).map(([, { name }]) => name);
}

/**
 * An INSERT of one row with a parameter for each column, called as the column is.
 * @param expressions  SQL in place of the parameter, by column
 */
export function insertSql(
  table: string,
  names: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): string {
  const values = names.map((name) => expressions[name] ?? `:${name}`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`;
}

/** Assignments of an UPDATE that leave out what is not changed, with the values of `assignmentValues`. */
export function assignmentsSql<Shape>(columns: Columns<Shape>, members: readonly (keyof Shape)[]): string {
  return members.map((member) => assignmentSql(columns[member].name)).join(", ");
}

function assignmentSql(name: string): string {
  return `${name} = iif(:sets_${name}, :${name}, ${name})`;
}

/** @param members  those of `assignmentsSql`; one that is left out of `changes` stays */
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

function entriesOf<Shape>(columns: Columns<Shape>): [string, Column<unknown>][] {
  return Object.entries(columns);
}
