/**
 * Whether migrations can run while the previous release serves: they only add, and remove nothing that it uses. Pure.
 * Anything not known to be harmless is refused.
 */
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

const TRIGGER = /^CREATE TRIGGER (?:IF NOT EXISTS )?(\S+) /i;
const DROPPED_TRIGGER = /^DROP TRIGGER (?:IF EXISTS )?(\S+)$/i;
const TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?(\S+?)\s*\(/i;
const UNIQUE_INDEX = /^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\S+ ON (\S+?)\s*\(/i;
const ADDITIVE = [TABLE, /^CREATE INDEX /i, TRIGGER, /^CREATE VIEW /i, /^ALTER TABLE \S+ ADD /i, /^(INSERT|UPDATE) /i];

/**
 * @param sql  of migrations, in order
 * @returns the statements that might break the previous release, shortened
 */
export function statementsThatTakeAway(sql: string): string[] {
  const statements = splitStatements(sql);
  const newTables = new Set(statements.flatMap((statement) => TABLE.exec(statement)?.[1] ?? []));
  const newTriggers = new Set(statements.flatMap((statement) => TRIGGER.exec(statement)?.[1] ?? []));
  const isAdditive = (statement: string) => {
    // A trigger that is replaced.
    const dropped = DROPPED_TRIGGER.exec(statement)?.[1];
    if (dropped !== undefined) return newTriggers.has(dropped);
    // Rows that the previous release writes may not be unique.
    const indexed = UNIQUE_INDEX.exec(statement)?.[1];
    return indexed === undefined ? ADDITIVE.some((form) => form.test(statement)) : newTables.has(indexed);
  };
  return statements.filter((statement) => !isAdditive(statement)).map(shorten);
}

const SHOWN_CHARS = 80;

function shorten(statement: string): string {
  return statement.length > SHOWN_CHARS ? `${statement.slice(0, SHOWN_CHARS)}…` : statement;
}

/** The statements of a file, without comments and on one line each. A trigger's body is part of its statement. */
export function splitStatements(sql: string): string[] {
  const bare = sql.replaceAll(/'(?:[^']|'')*'|(?:--[^\n]*|\/\*[\s\S]*?\*\/|\s)+/g, (part) =>
    part.startsWith("'") ? part : " ",
  );
  return splitSqlQuery(bare)
    .map((statement) => statement.replace(/;$/, "").trim())
    .filter((statement) => statement !== "");
}
