/**
 * Migrations of the objects' tables, the first from version 1 to 2. A release that changes tables or the format of batches
 * (core/clicks/encoding/click-formats.ts) adds one, so that objects of the release before do not touch what it stores. One list for
 * all classes: a migration changes those tables that an object has. One that was released never changes.
 */
export const SCHEMA_MIGRATIONS: readonly ((sql: SqlStorage) => void)[] = [];
