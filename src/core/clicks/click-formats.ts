/**
 * The fields of each format of click batches, in their order. Stored batches are never rewritten, so a deployed format
 * stays readable for ever and never changes. A new fact needs a new format, and a step in `clicks/schema-migrations.ts`
 * for the objects' tables. Each format begins with the fields of the one before; from format 3 on batches also have numbers
 * of a fixed width and indexes of few bits, and may leave the last fields out.
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

const FORMAT_2 = [
  ...FORMAT_1,
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const satisfies readonly ClickField[];

const FORMAT_3 = [...FORMAT_2, "query"] as const satisfies readonly ClickField[];

/** Resolves to `never`, to which nothing can be assigned, when the format lacks a fact. */
type Complete<F extends readonly ClickField[]> = [Exclude<ClickField, F[number]>] extends [never] ? F : never;

/** The fields of the last format. */
export const CLICK_FIELDS: Complete<typeof FORMAT_3> = FORMAT_3;

/** The fields of each format, from format 1 on. */
export const CLICK_FORMATS: readonly (readonly ClickField[])[] = [FORMAT_1, FORMAT_2, FORMAT_3];
