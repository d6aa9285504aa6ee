/**
 * How the rule editor offers each condition (its name, its group, the kind of its input and the order of its options),
 * and the form of the simulated visit for a dry run. Pure. A condition or a fact added in core does not compile without
 * an entry here.
 */
import type { SimulatedVisitor } from "../../../../core/contract/resolutions.ts";
import type { ConditionKey } from "../../../../core/links/conditions.ts";
import { conditionTexts as texts, dryRunTexts } from "../../../texts/rules.ts";
import { countryOptions, visitorOptions } from "../visitor-names.ts";

/** Values, any of which may match: chosen from options, or typed as text. */
type ListField = { options: Option[] } | { options?: never; placeholder: string; description: string };

type ConditionGroup = keyof typeof texts.groups;

/** In the order in which a rule's conditions are listed. Those without a field have an input of their own. */
const CONDITION_KINDS = {
  country: { group: "place", field: { options: countryOptions() } },
  continent: { group: "place", field: { options: visitorOptions.continent } },
  region: { group: "place", field: texts.fields.region },
  city: { group: "place", field: texts.fields.city },
  device: { group: "device", field: { options: visitorOptions.device } },
  os: { group: "device", field: { options: visitorOptions.os } },
  browser: { group: "device", field: { options: visitorOptions.browser } },
  language: { group: "device", field: texts.fields.language },
  referrer: { group: "origin", field: texts.fields.referrer },
  source: { group: "origin", field: { options: visitorOptions.source } },
  utm_source: { group: "campaign", field: texts.fields.utm_source },
  utm_medium: { group: "campaign", field: texts.fields.utm_medium },
  utm_campaign: { group: "campaign", field: texts.fields.utm_campaign },
  utm_term: { group: "campaign", field: texts.fields.utm_term },
  utm_content: { group: "campaign", field: texts.fields.utm_content },
  query: { group: "origin" },
  time: { group: "time" },
  after: { group: "time" },
  before: { group: "time" },
  percent: { group: "share" },
} satisfies Record<ConditionKey, { group: ConditionGroup; field?: ListField }>;

export type ListConditionKey = {
  [K in ConditionKey]: (typeof CONDITION_KINDS)[K] extends { field: ListField } ? K : never;
}[ConditionKey];

export const CONDITION_KEYS = Object.keys(CONDITION_KINDS) as readonly ConditionKey[];

export function isListKey(key: ConditionKey): key is ListConditionKey {
  return "field" in CONDITION_KINDS[key];
}

export function listField(key: ListConditionKey): ListField {
  return CONDITION_KINDS[key].field;
}

/** The named menu groups that contain any of these conditions. */
export function groupConditions(keys: readonly ConditionKey[]): { name: string; keys: ConditionKey[] }[] {
  return (Object.keys(texts.groups) as ConditionGroup[])
    .map((group) => ({ name: texts.groups[group], keys: keys.filter((key) => CONDITION_KINDS[key].group === group) }))
    .filter((group) => group.keys.length > 0);
}

interface Option {
  value: string;
  label: string;
}

/**
 * Orders options while the user types: prefix matches come before other matches, so that Enter selects Germany for
 * "Germ" and for "de", not Algeria for "ger".
 * @param options  of a Mantine select without groups; options without a label are of another kind, and omitted
 */
export function rankOptions<Item extends object>({
  options,
  search,
  limit,
}: {
  options: Item[];
  search: string;
  limit: number;
}): Item[] {
  const text = search.trim().toLowerCase();
  const byRank = Map.groupBy(options, (item) => (isOption(item) ? rankOf(item, text) : null));
  return [0, 1, 2, 3].flatMap((rank) => byRank.get(rank) ?? []).slice(0, limit);
}

/** @returns null if the option does not contain the text */
function rankOf({ value, label }: Option, text: string): number | null {
  const name = label.toLowerCase();
  if (text === "" || value.toLowerCase() === text) return 0;
  const at = name.indexOf(text);
  if (at < 0) return null;
  if (at === 0) return 1;
  return name.includes(` ${text}`) ? 2 : 3;
}

function isOption(item: object): item is Option {
  return "label" in item && "value" in item;
}

/**
 * The simulated visit: empty fields are unknown facts. `query` is the text after the `?` of a URL, `at` is RFC 3339 once
 * it is sent.
 */
export type SimulatedVisitorForm = Record<keyof SimulatedVisitor, string>;

/** `source` and `at` have their own inputs. */
type FieldName = Exclude<keyof SimulatedVisitor, "source" | "at">;

interface VisitorField {
  label: string;
  placeholder?: string;
  options?: Option[];
}

/** In the order of the form. A fact added in core does not compile without an entry here. */
const VISITOR_FIELDS: Record<FieldName, VisitorField> = {
  country: { label: texts.names.country, options: countryOptions() },
  device: { label: texts.names.device, options: visitorOptions.device },
  language: { label: dryRunTexts.languages, placeholder: dryRunTexts.languageExample },
  referrer: { label: texts.names.referrer, placeholder: dryRunTexts.referrerExample },
  continent: { label: texts.names.continent, options: visitorOptions.continent },
  region: { label: texts.names.region, placeholder: dryRunTexts.regionExample },
  city: { label: texts.names.city, placeholder: dryRunTexts.cityExample },
  os: { label: texts.names.os, options: visitorOptions.os },
  browser: { label: texts.names.browser, options: visitorOptions.browser },
  point: { label: dryRunTexts.point, placeholder: dryRunTexts.pointExample },
  query: { label: dryRunTexts.query, placeholder: dryRunTexts.queryExample },
  path: { label: dryRunTexts.path, placeholder: dryRunTexts.pathExample },
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
export function toSimulatedVisitor({ query, point, path, ...facts }: SimulatedVisitorForm): SimulatedVisitor {
  const known = Object.entries(facts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]));
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
