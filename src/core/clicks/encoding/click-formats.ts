/**
 * The format of click batches: a number and the ordered fields. Stored batches are never rewritten. A release with a
 * new fact appends its field, so that older batches simply lack the last fields. It also raises the number, and adds a
 * migration of the objects' tables (clicks/schema-migrations.ts).
 */
import type { ClickField } from "../facts.ts";

/** A batch with a higher format is from a later release, and is refused. */
export const BATCH_FORMAT = 1;

const FIELDS = [
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
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "query",
  "address",
] as const satisfies readonly ClickField[];

/** Resolves to `never`, which accepts no value, when the format lacks a fact. */
type Complete<F extends readonly ClickField[]> = [Exclude<ClickField, F[number]>] extends [never] ? F : never;

export const CLICK_FIELDS: Complete<typeof FIELDS> = FIELDS;
