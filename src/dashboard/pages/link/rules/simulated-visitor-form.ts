/** The form's simulated visit for a dry run: empty fields are unknown facts. Pure. */
import type { SimulatedVisitor } from "../../../../core/contract/resolutions.ts";
import { dryRunTexts as texts } from "../../../texts/rules.ts";
import { conditionName } from "./condition-kinds.ts";
import { BROWSER_OPTIONS, CONTINENT_OPTIONS, COUNTRY_OPTIONS, DEVICE_OPTIONS, OS_OPTIONS } from "../visitor-names.ts";

/** `query` is the text after the `?` of a URL, `at` is RFC 3339 once it is sent. */
export type SimulatedVisitorForm = Record<keyof SimulatedVisitor, string>;

/** `source` and `at` have their own inputs. */
type FieldName = Exclude<keyof SimulatedVisitor, "source" | "at">;

interface VisitorField {
  label: string;
  placeholder?: string;
  options?: { value: string; label: string }[];
}

/** In the order of the form. A fact added in core does not compile without an entry here. */
const VISITOR_FIELDS: Record<FieldName, VisitorField> = {
  country: { label: conditionName("country"), options: COUNTRY_OPTIONS },
  device: { label: conditionName("device"), options: DEVICE_OPTIONS },
  language: { label: texts.languages, placeholder: texts.languageExample },
  referrer: { label: conditionName("referrer"), placeholder: texts.referrerExample },
  continent: { label: conditionName("continent"), options: CONTINENT_OPTIONS },
  region: { label: conditionName("region"), placeholder: texts.regionExample },
  city: { label: conditionName("city"), placeholder: texts.cityExample },
  os: { label: conditionName("os"), options: OS_OPTIONS },
  browser: { label: conditionName("browser"), options: BROWSER_OPTIONS },
  point: { label: texts.point, placeholder: texts.pointExample },
  query: { label: texts.query, placeholder: texts.queryExample },
  path: { label: texts.path, placeholder: texts.pathExample },
};

const FIELDS = Object.entries(VISITOR_FIELDS) as [FieldName, VisitorField][];
/** Always shown; the others are shown on request. */
export const COMMON_FIELDS = FIELDS.slice(0, 4);
export const OTHER_FIELDS = FIELDS.slice(4);

export const UNKNOWN_VISITOR: SimulatedVisitorForm = {
  ...(Object.fromEntries(FIELDS.map(([name]) => [name, ""])) as Record<FieldName, string>),
  source: "link",
  at: "",
};

/** The body of the dry run: the facts that are filled in. The API validates them. */
export function toSimulatedVisitor({ query, point, path, ...texts }: SimulatedVisitorForm): SimulatedVisitor {
  const known = Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]));
  const names = parseQuery(query);
  return {
    ...Object.fromEntries(known),
    ...(point.trim() === "" ? {} : { point: Number(point.trim().replace(",", ".")) }),
    ...(Object.keys(names).length > 0 ? { query: names } : {}),
    ...(path.trim() === "" ? {} : { path: path.trim().replace(/^\/?/, "/") }),
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
