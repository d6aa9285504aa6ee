/**
 * The steps between the schema versions of objects. A release that changes tables or a stored format
 * (core/clicks/click-formats.ts) adds a step, so that objects of the release before do not touch what it stores. A step
 * that was deployed is never changed.
 */
import { hasTable, type SchemaMigration } from "./schema.ts";

/** Of a link's object. The first row of `batches` has its version. */
export const LINK_MIGRATIONS: readonly SchemaMigration[] = [
  (sql) => addBlobs(sql, "summaries", ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"]),
  (sql) => {
    addBlobs(sql, "batches", ["visited"]);
    addBlobs(sql, "summaries", ["clicks"]);
  },
];

/** Of the object of an account's clicks. The one row of `account` has its version. */
export const ACCOUNT_MIGRATIONS: readonly SchemaMigration[] = [];

/** Of an account's feed. The one row of `period` has its version. */
export const FEED_MIGRATIONS: readonly SchemaMigration[] = [];

function addBlobs(sql: SqlStorage, table: "batches" | "summaries", columns: readonly string[]): void {
  if (!hasTable(sql, table)) return;
  for (const column of columns) sql.exec(`ALTER TABLE ${table} ADD COLUMN ${column} BLOB`);
}
