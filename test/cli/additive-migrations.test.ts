/** Migrations run while the previous release serves: `npm run upgrade` refuses those that take anything from it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

import { statementsThatTakeAway } from "../../src/cli/deployment/additive-migrations.ts";

const FOLDER = resolve(import.meta.dirname, "../../migrations");

describe("a migration", () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith(".sql")))("%s adds", (name) => {
    expect(statementsThatTakeAway(readFileSync(join(FOLDER, name), "utf8"))).toEqual([]);
  });

  it.each([
    "DROP TABLE links",
    "drop index links_by_id",
    "ALTER TABLE links RENAME TO old_links",
    "ALTER TABLE links DROP COLUMN title",
    "alter table links\nrename column title to name",
    "DELETE FROM links",
    "DROP TRIGGER links_changed",
    "DROP TRIGGER t; CREATE TRIGGER other AFTER INSERT ON links BEGIN SELECT 1; END",
    "REPLACE INTO links VALUES (1)",
    "CREATE UNIQUE INDEX one ON links (title)",
    "PRAGMA writable_schema = 1",
    "CREATE TABLE one (a TEXT) STRICT; /* ; */ DROP TABLE links",
    "CREATE TRIGGER t AFTER INSERT ON links BEGIN SELECT CASE WHEN 1 THEN 2 END; END; DROP TABLE links",
  ])("is refused with %s", (sql) => {
    expect(statementsThatTakeAway(`${sql};`)).toHaveLength(1);
  });

  it.each([
    "CREATE TABLE one (a TEXT DEFAULT 'DROP TABLE links; --') STRICT; CREATE UNIQUE INDEX by_a ON one (a)",
    "-- DROP TABLE links;\nALTER TABLE links ADD COLUMN b TEXT",
    "CREATE TRIGGER t AFTER INSERT ON links BEGIN DELETE FROM cache WHERE id = NEW.id; END",
    "DROP TRIGGER t; CREATE TRIGGER t AFTER INSERT ON links BEGIN SELECT 1; END",
    "INSERT INTO one SELECT a FROM two; UPDATE one SET a = 'x;y'",
    "",
  ])("may be %s", (sql) => {
    expect(statementsThatTakeAway(sql)).toEqual([]);
  });
});
