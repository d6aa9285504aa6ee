/** The fields of an account's click log, which has the clicks of all links of an account and mode. Pure. */
import { mapFacts, type VisitFact } from "./facts.ts";

/**
 * Fields whose values are texts of the account itself, of which there may be many: stored once, and referred to by
 * number (0: none). A revision is its own number.
 */
export const DICTIONARY_FIELDS = ["link", "rule", "destination", "qr"] as const;
export type DictionaryField = (typeof DICTIONARY_FIELDS)[number];

export const NUMBER_FIELDS = [...DICTIONARY_FIELDS, "revision"] as const;
export type NumberField = (typeof NUMBER_FIELDS)[number];

export const TEXT_FIELDS = ["class", "domain", ...Object.values(mapFacts((fact) => fact))] as const;
export type TextField = "class" | "domain" | VisitFact;

export type AccountField = TextField | NumberField;

/** The fields by which clicks are counted. Stored tallies are numbered by their place: only ever add at the end. */
export const COUNTED_FIELDS: readonly Exclude<AccountField, "class">[] = [
  ...NUMBER_FIELDS,
  "domain",
  ...Object.values(mapFacts((fact) => fact)),
];
export type CountedField = (typeof COUNTED_FIELDS)[number];

export function isNumberField(field: AccountField): field is NumberField {
  return (NUMBER_FIELDS as readonly AccountField[]).includes(field);
}
