/**
 * How the dashboard shows each grouping of the statistics: its name, its card, and its keys as text. Pure.
 * A grouping that core adds does not compile until it has its entry here.
 */
import { DIRECT_KEY, NONE_KEY, UNKNOWN_KEY } from "../../../../core/clicks/facts.ts";
import { type Grouping, OTHER_KEY } from "../../../../core/clicks/groupings.ts";
import { continentName, countryName, languageName, regionName } from "../place-names.ts";
import { ruleKeyName } from "../rules/parse-rule-key.ts";
import { browserName, deviceName, osName } from "../software-names.ts";
import { sourceName } from "../source-names.ts";

export type GroupingCardTitle = "Places" | "Sources" | "Campaigns" | "Devices" | "Routing";

interface GroupingDisplay {
  name: string;
  card: GroupingCardTitle;
  keyName: (key: string) => string;
  /** `other` is one of its own keys, beside the bucket in which the API adds up the rest. */
  hasOtherKey?: boolean;
}

/** Each card shows its groupings in this order. */
const GROUPING_DISPLAYS: Record<Grouping, GroupingDisplay> = {
  country: { name: "Country", card: "Places", keyName: countryName },
  continent: { name: "Continent", card: "Places", keyName: continentName },
  region: { name: "Region", card: "Places", keyName: regionName },
  city: { name: "City", card: "Places", keyName: asIs },
  device: { name: "Device", card: "Devices", keyName: deviceName, hasOtherKey: true },
  os: { name: "System", card: "Devices", keyName: osName, hasOtherKey: true },
  browser: { name: "Browser", card: "Devices", keyName: browserName, hasOtherKey: true },
  language: { name: "Language", card: "Devices", keyName: languageName },
  referrer: {
    name: "Referrer",
    card: "Sources",
    keyName: (key) => (key === DIRECT_KEY ? "Direct" : key.replace(/^app:/, "App ")),
  },
  source: { name: "Source", card: "Sources", keyName: sourceName },
  qr: { name: "QR code", card: "Sources", keyName: (key) => (key === NONE_KEY ? "No QR code" : key) },
  rule: { name: "Rule", card: "Routing", keyName: ruleKeyName },
  destination: { name: "Destination", card: "Routing", keyName: asIs },
  utm_source: { name: "UTM source", card: "Campaigns", keyName: utmName },
  utm_medium: { name: "UTM medium", card: "Campaigns", keyName: utmName },
  utm_campaign: { name: "UTM campaign", card: "Campaigns", keyName: utmName },
  utm_term: { name: "UTM term", card: "Campaigns", keyName: utmName },
  utm_content: { name: "UTM content", card: "Campaigns", keyName: utmName },
};

export function groupingName(grouping: Grouping): string {
  return GROUPING_DISPLAYS[grouping].name;
}

export function groupingsOfCard(title: GroupingCardTitle): Grouping[] {
  return (Object.keys(GROUPING_DISPLAYS) as Grouping[]).filter(
    (grouping) => GROUPING_DISPLAYS[grouping].card === title,
  );
}

export function bucketName(grouping: Grouping, key: string): string {
  const { keyName, hasOtherKey = false } = GROUPING_DISPLAYS[grouping];
  if (key === UNKNOWN_KEY) return "Unknown";
  if (key === OTHER_KEY && !hasOtherKey) return "All others";
  return keyName(key);
}

function utmName(key: string): string {
  return key === NONE_KEY ? "None" : key;
}

function asIs(key: string): string {
  return key;
}
