/** D1's API splits the files on its server: they contain nothing that it may mistake for the end of a statement. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

import { splitNaively } from "../support/cloudflare/naive-splitter.ts";

const FILES = readdirSync("migrations").map((name) => ({ name, sql: readFileSync(`migrations/${name}`, "utf8") }));

/** The statement that wrangler appends to each file. */
const ENTRY = "INSERT INTO d1_migrations (name)\nvalues ('0001_initial.sql');\n";

function withoutSemicolon(statements: readonly string[]): string[] {
  return statements.map((statement) => statement.trim().replace(/;$/, ""));
}

test.each(FILES)("$name is split into its statements", ({ sql }) => {
  const expected = withoutSemicolon(splitSqlQuery(sql + ENTRY));
  expect(expected.length).toBeGreaterThan(1);
  expect(withoutSemicolon(splitNaively(sql + ENTRY))).toEqual(expected);
});

test.each([
  ["the schema as people read it", readFileSync("schema.sql", "utf8")],
  ["a quote in a comment", "-- It's one.\nCREATE TABLE a (b);\n"],
  ["a semicolon in a comment", "-- One; two.\nCREATE TABLE a (b);\n"],
  [
    "a trigger on several lines",
    "CREATE TRIGGER a AFTER INSERT ON b\nBEGIN\n  DELETE FROM c;\n  DELETE FROM d;\nEND;\n",
  ],
  ["a trigger with a CASE", "CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT CASE WHEN 1 THEN 2 END; SELECT 3; END;\n"],
  ["a trigger in lower case", "create trigger a after insert on b begin delete from c; delete from d; end;\n"],
])("%s is split wrongly", (_, sql) => {
  const split = () => {
    const statements = withoutSemicolon(splitNaively(sql + ENTRY));
    if (statements.join() === withoutSemicolon(splitSqlQuery(sql + ENTRY)).join()) return "well";
    throw new Error("SQLITE_ERROR");
  };
  expect(split).toThrow();
});

test.each(FILES)("$name has the line endings that checkouts keep, and with others it is refused", ({ sql }) => {
  expect(sql).not.toContain("\r");
  expect(readFileSync(".gitattributes", "utf8").split("\n")).toContain("*.sql text eol=lf");
  expect(() => splitNaively(sql.replaceAll("\n", "\r\n"))).toThrow("incomplete input");
});
