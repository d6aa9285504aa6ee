/**
 * How the rule editor shows each condition: its name and the kind of its input. Pure. A condition that core adds does
 * not compile until it has its entry here.
 */
import type { ConditionKey } from "../../../../core/links/conditions.ts";
import { CONTINENT_OPTIONS, COUNTRY_OPTIONS } from "../place-names.ts";
import { BROWSER_OPTIONS, DEVICE_OPTIONS, OS_OPTIONS } from "../software-names.ts";
import { SOURCE_OPTIONS } from "../source-names.ts";

/** Values of which any may match: chosen from options, or typed as text. */
export type ListField =
  | { options: { value: string; label: string }[] }
  | { options?: never; placeholder: string; description: string };

type ConditionKind = { name: string } & ({ input: "list"; field: ListField } | { input: "own" });

const UTM_DESCRIPTION = "In any case. Press Enter after each.";

/** In the order in which conditions are offered. `own`: an input that only this condition has. */
const CONDITION_KINDS = {
  country: { name: "Country", input: "list", field: { options: COUNTRY_OPTIONS } },
  continent: { name: "Continent", input: "list", field: { options: CONTINENT_OPTIONS } },
  region: {
    name: "Region",
    input: "list",
    field: { placeholder: "US-TX", description: "ISO 3166-2 codes such as US-TX or DE-BE. Press Enter after each." },
  },
  city: {
    name: "City",
    input: "list",
    field: { placeholder: "Berlin", description: "In English, in any case. Press Enter after each." },
  },
  device: { name: "Device", input: "list", field: { options: DEVICE_OPTIONS } },
  os: { name: "System", input: "list", field: { options: OS_OPTIONS } },
  browser: { name: "Browser", input: "list", field: { options: BROWSER_OPTIONS } },
  language: {
    name: "Language",
    input: "list",
    field: {
      placeholder: "de",
      description: "Tags such as de or pt-BR; de also covers de-CH. Press Enter after each.",
    },
  },
  referrer: {
    name: "Referrer",
    input: "list",
    field: {
      placeholder: "example.com",
      description: "Hosts, with all their sub-hosts, or app:<package>. Press Enter after each.",
    },
  },
  source: { name: "Source", input: "list", field: { options: SOURCE_OPTIONS } },
  utm_source: { name: "UTM source", input: "list", field: { placeholder: "newsletter", description: UTM_DESCRIPTION } },
  utm_medium: { name: "UTM medium", input: "list", field: { placeholder: "email", description: UTM_DESCRIPTION } },
  utm_campaign: { name: "UTM campaign", input: "list", field: { placeholder: "spring", description: UTM_DESCRIPTION } },
  utm_term: { name: "UTM term", input: "list", field: { placeholder: "shoes", description: UTM_DESCRIPTION } },
  utm_content: { name: "UTM content", input: "list", field: { placeholder: "banner", description: UTM_DESCRIPTION } },
  query: { name: "Query parameters", input: "own" },
  time: { name: "Time of day", input: "own" },
  after: { name: "From an instant on", input: "own" },
  before: { name: "Until an instant", input: "own" },
  percent: { name: "Share of visitors", input: "own" },
} satisfies Record<ConditionKey, ConditionKind>;

export type ListConditionKey = {
  [K in ConditionKey]: (typeof CONDITION_KINDS)[K] extends { input: "list" } ? K : never;
}[ConditionKey];

export const CONDITION_KEYS = Object.keys(CONDITION_KINDS) as readonly ConditionKey[];

export function conditionName(key: ConditionKey): string {
  return CONDITION_KINDS[key].name;
}

export function listField(key: ListConditionKey): ListField {
  return CONDITION_KINDS[key].field;
}
