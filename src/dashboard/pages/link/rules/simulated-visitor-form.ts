/** The simulated visitor of a dry run as its form holds it: empty where a fact is unknown. Pure. */
import type { SimulatedVisitor } from "../../../../core/contract/resolutions.ts";
import { dryRunTexts as texts } from "../../../texts/rules.ts";
import { CONTINENT_OPTIONS, COUNTRY_OPTIONS } from "../place-names.ts";
import { BROWSER_OPTIONS, DEVICE_OPTIONS, OS_OPTIONS } from "../visitor-names.ts";

/** `query` as behind the `?` of a URL, `at` as RFC 3339 once it is sent. */
export type SimulatedVisitorForm = Record<keyof SimulatedVisitor, string>;

/** `source` and `at` have inputs of their own. */
type FieldName = Exclude<keyof SimulatedVisitor, "source" | "at">;

export interface VisitorField {
  label: string;
  placeholder?: string;
  options?: { value: string; label: string }[];
  /** Shown at once; the others when they are asked for. */
  isCommon?: boolean;
}

/** In the order of the form. A fact that core adds does not compile until it has its entry here. */
const VISITOR_FIELDS: Record<FieldName, VisitorField> = {
  country: { label: texts.fields.country, options: COUNTRY_OPTIONS, isCommon: true },
  device: { label: texts.fields.device, options: DEVICE_OPTIONS, isCommon: true },
  language: { label: texts.fields.language, placeholder: texts.languageExample, isCommon: true },
  referrer: { label: texts.fields.referrer, placeholder: texts.referrerExample, isCommon: true },
  continent: { label: texts.fields.continent, options: CONTINENT_OPTIONS },
  region: { label: texts.fields.region, placeholder: texts.regionExample },
  city: { label: texts.fields.city, placeholder: texts.cityExample },
  os: { label: texts.fields.os, options: OS_OPTIONS },
  browser: { label: texts.fields.browser, options: BROWSER_OPTIONS },
  point: { label: texts.fields.point, placeholder: texts.pointExample },
  query: { label: texts.fields.query, placeholder: texts.queryExample },
};

const FIELDS = Object.entries(VISITOR_FIELDS) as [FieldName, VisitorField][];
export const COMMON_FIELDS = FIELDS.filter(([, { isCommon }]) => isCommon);
export const OTHER_FIELDS = FIELDS.filter(([, { isCommon }]) => !isCommon);

export const UNKNOWN_VISITOR: SimulatedVisitorForm = {
  ...(Object.fromEntries(FIELDS.map(([name]) => [name, ""])) as Record<FieldName, string>),
  source: "link",
  at: "",
};

/** The body of the dry run: the facts that are filled in. The API validates them. */
export function toSimulatedVisitor({ query, point, ...texts }: SimulatedVisitorForm): SimulatedVisitor {
  const known = Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]));
  const names = parseQuery(query);
  return {
    ...Object.fromEntries(known),
    ...(point.trim() === "" ? {} : { point: Number(point.trim().replace(",", ".")) }),
    ...(Object.keys(names).length > 0 ? { query: names } : {}),
  };
}

function parseQuery(text: string): Record<string, string | string[]> {
  const sent = new URLSearchParams(text.trim().replace(/^\?/, ""));
  return Object.fromEntries(
    [...new Set(sent.keys())].map((name) => {
      const values = sent.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
