/**
 * How the rule editor offers each condition: its name, its group, and the kind of its input. Pure. A condition added in
 * core does not compile without an entry here.
 */
import type { ConditionKey } from "../../../../core/links/conditions.ts";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import {
  BROWSER_OPTIONS,
  CONTINENT_OPTIONS,
  COUNTRY_OPTIONS,
  DEVICE_OPTIONS,
  OS_OPTIONS,
  SOURCE_OPTIONS,
} from "../visitor-names.ts";

/** Values, any of which may match: chosen from options, or typed as text. */
type ListField =
  | { options: { value: string; label: string }[] }
  | { options?: never; placeholder: string; description: string };

type ConditionGroup = keyof typeof texts.groups;

type ConditionKind = { group: ConditionGroup } & ({ input: "list"; field: ListField } | { input: "own" });

/** In the order in which a rule's conditions are listed. `own`: an input used only by this condition. */
const CONDITION_KINDS = {
  country: { group: "place", input: "list", field: { options: COUNTRY_OPTIONS } },
  continent: { group: "place", input: "list", field: { options: CONTINENT_OPTIONS } },
  region: { group: "place", input: "list", field: texts.fields.region },
  city: { group: "place", input: "list", field: texts.fields.city },
  device: { group: "device", input: "list", field: { options: DEVICE_OPTIONS } },
  os: { group: "device", input: "list", field: { options: OS_OPTIONS } },
  browser: { group: "device", input: "list", field: { options: BROWSER_OPTIONS } },
  language: { group: "device", input: "list", field: texts.fields.language },
  referrer: { group: "origin", input: "list", field: texts.fields.referrer },
  source: { group: "origin", input: "list", field: { options: SOURCE_OPTIONS } },
  utm_source: { group: "campaign", input: "list", field: texts.fields.utm_source },
  utm_medium: { group: "campaign", input: "list", field: texts.fields.utm_medium },
  utm_campaign: { group: "campaign", input: "list", field: texts.fields.utm_campaign },
  utm_term: { group: "campaign", input: "list", field: texts.fields.utm_term },
  utm_content: { group: "campaign", input: "list", field: texts.fields.utm_content },
  query: { group: "origin", input: "own" },
  time: { group: "time", input: "own" },
  after: { group: "time", input: "own" },
  before: { group: "time", input: "own" },
  percent: { group: "share", input: "own" },
} satisfies Record<ConditionKey, ConditionKind>;

export type ListConditionKey = {
  [K in ConditionKey]: (typeof CONDITION_KINDS)[K] extends { input: "list" } ? K : never;
}[ConditionKey];

export const CONDITION_KEYS = Object.keys(CONDITION_KINDS) as readonly ConditionKey[];

export function conditionName(key: ConditionKey): string {
  return texts.names[key];
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

/** Props and layout shared by the inputs of all conditions. */
export interface ConditionFieldProps {
  label: string;
  error: string | undefined;
  /** Gets the focus when it appears, because it was just added. */
  autoFocus: boolean;
}

/** A description above the input would misalign it with the condition's name beside it. */
export const DESCRIPTION_BELOW: ("input" | "description" | "error")[] = ["input", "description", "error"];
