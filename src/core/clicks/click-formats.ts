/**
 * The formats of click batches: which fields each one has, in their order. Stored batches are never rewritten, so a
 * format that was deployed once is read for ever and never changed. A new field makes a new format, and a step for
 * what objects have stored (clicks/schema-migrations.ts).
 */
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
] as const;

/** What batches are written with. */
export const CLICK_FIELDS = FORMAT_1;
export type ClickField = (typeof CLICK_FIELDS)[number];

/** The fields of each format, from format 1 on; batches are written in the last one. */
export const CLICK_FORMATS: readonly (readonly ClickField[])[] = [FORMAT_1];
