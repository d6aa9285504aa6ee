/**
 * The formats of click batches: which fields each one has, in their order. Stored batches are never rewritten, so a
 * format that was deployed is read for ever and never changed. A new fact makes a new format, and a step in
 * clicks/schema-migrations.ts for what objects have stored.
 */
import type { ClickField } from "./facts.ts";

const FORMAT_1 = [
  "class",
  "country",
  "continent",
  "region",
  "city",
  "device",
  "os",
  "browser",
  "language",
  "referrer",
  "qr",
  "rule",
] as const satisfies readonly ClickField[];

/** `never`, to which nothing can be assigned, while a fact is missing in the format. */
type Complete<F extends readonly ClickField[]> = [Exclude<ClickField, F[number]>] extends [never] ? F : never;

/** What batches are written with. */
export const CLICK_FIELDS: Complete<typeof FORMAT_1> = FORMAT_1;

/** The fields of each format, from format 1 on. */
export const CLICK_FORMATS: readonly (readonly ClickField[])[] = [FORMAT_1];
