/**
 * The steps between the schema versions of objects. A release that changes tables or a stored format
 * (core/clicks/click-formats.ts) adds a step, so that objects of the release before do not touch what it stores. A step
 * that was deployed is never changed.
 */
import type { SchemaMigration } from "./schema.ts";

/** Of a link's object. The first row of `batches` has its version. */
export const LINK_MIGRATIONS: readonly SchemaMigration[] = [];

/** Of an account's feed. The one row of `period` has its version. */
export const FEED_MIGRATIONS: readonly SchemaMigration[] = [];
