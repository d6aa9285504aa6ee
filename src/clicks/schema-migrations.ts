/**
 * How the objects' tables came to be what they are, step by step: what a release changes in tables or in a stored
 * format (core/clicks/click-formats.ts) is a step more, so that objects of the release before keep off. A step that was
 * deployed is never changed.
 */
import type { SchemaMigration } from "./schema.ts";

/** Of a link's object. The first row of `batches` has the number of its schema. */
export const LINK_MIGRATIONS: readonly SchemaMigration[] = [];

/** Of an account's feed. The one row of `period` has the number of its schema. */
export const FEED_MIGRATIONS: readonly SchemaMigration[] = [];
