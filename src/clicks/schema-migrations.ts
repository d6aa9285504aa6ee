/**
 * Migrations of the objects' tables; the first is from version 1 to 2. A release that changes tables or the format of
 * batches (core/clicks/encoding/click-formats.ts) adds one, so that objects of the previous release do not touch what
 * it stores. All classes share one list: a migration changes only the tables that an object has. A released migration
 * never changes.
 */
export const SCHEMA_MIGRATIONS: readonly ((sql: SqlStorage) => void)[] = [];
