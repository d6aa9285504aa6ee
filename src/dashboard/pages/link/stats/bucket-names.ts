/**
 * How the dashboard shows each grouping of the statistics: its name, its card, and its keys as text. Pure. A grouping
 * added in core does not compile without an entry here.
 */
import { DIRECT_KEY, NONE_KEY, UNKNOWN_KEY } from "../../../../core/clicks/facts.ts";
import { type AccountGrouping, OTHER_KEY } from "../../../../core/clicks/counting/groupings.ts";
import { linkName, readableHost, readableUrl } from "../../../formatting/hosts.ts";
import { ruleKeyName } from "../rules/rule-sentence.ts";
import { visitorNames } from "../visitor-names.ts";
import type { Card } from "./stats-params.ts";

export const CARD_NAMES: Record<Card, string> = {
  links: "Links",
  places: "Places",
  sources: "Sources",
  devices: "Devices",
  campaigns: "Campaigns (UTM)",
  routing: "Routing",
};

interface GroupingDisplay {
  name: string;
  /** Shorter, for a tab of its card. */
  tab?: string;
  card: Card;
  keyName: (key: string) => string;
  /** `other` is also one of its real keys, apart from the bucket in which the API adds up the rest. */
  hasOtherKey?: boolean;
}

/** Each card shows its groupings in this order. */
const GROUPING_DISPLAYS: Record<AccountGrouping, GroupingDisplay> = {
  // Ids: their names are looked up (link-names.ts).
  link: { name: "Link", card: "links", keyName: asIs },
  tag: { name: "Tag", card: "links", keyName: orNone("No tag") },
  domain: { name: "Domain", card: "links", keyName: readableHost },
  country: { name: "Country", card: "places", keyName: visitorNames.country },
  continent: { name: "Continent", card: "places", keyName: visitorNames.continent },
  region: { name: "Region", card: "places", keyName: visitorNames.region },
  city: { name: "City", card: "places", keyName: asIs },
  device: { name: "Device", card: "devices", keyName: visitorNames.device, hasOtherKey: true },
  os: { name: "System", card: "devices", keyName: visitorNames.os, hasOtherKey: true },
  browser: { name: "Browser", card: "devices", keyName: visitorNames.browser, hasOtherKey: true },
  language: { name: "Language", card: "devices", keyName: visitorNames.language },
  referrer: {
    name: "Referrer",
    card: "sources",
    keyName: (key) => (key === DIRECT_KEY ? "Direct" : visitorNames.referrer(key)),
  },
  source: { name: "Source", card: "sources", keyName: visitorNames.source },
  qr: { name: "QR code", card: "sources", keyName: orNone("No QR code") },
  imported: { name: "Import", card: "sources", keyName: (key) => (key === "true" ? "Imported" : "Counted here") },
  address: { name: "Short URL", card: "sources", keyName: (key) => linkName({ short_url: `https://${key}` }) },
  rule: { name: "Rule", card: "routing", keyName: ruleKeyName },
  destination: { name: "Destination", card: "routing", keyName: readableUrl },
  revision: { name: "Version", card: "routing", keyName: (key) => `Version ${key}` },
  utm_source: { name: "UTM source", tab: "Source", card: "campaigns", keyName: orNone("None") },
  utm_medium: { name: "UTM medium", tab: "Medium", card: "campaigns", keyName: orNone("None") },
  utm_campaign: { name: "UTM campaign", tab: "Campaign", card: "campaigns", keyName: orNone("None") },
  utm_term: { name: "UTM term", tab: "Term", card: "campaigns", keyName: orNone("None") },
  utm_content: { name: "UTM content", tab: "Content", card: "campaigns", keyName: orNone("None") },
};

export function groupingName(grouping: AccountGrouping): string {
  return GROUPING_DISPLAYS[grouping].name;
}

/** The name of a grouping on its card. */
export function tabName(grouping: AccountGrouping): string {
  return GROUPING_DISPLAYS[grouping].tab ?? groupingName(grouping);
}

export function groupingsOfCard(card: Card): AccountGrouping[] {
  const groupings = Object.keys(GROUPING_DISPLAYS) as AccountGrouping[];
  return groupings.filter((grouping) => GROUPING_DISPLAYS[grouping].card === card);
}

/** Whether a bucket has clicks of a single key, which can be used as a filter. */
export function isFilterable(grouping: AccountGrouping, key: string): boolean {
  return key !== OTHER_KEY || GROUPING_DISPLAYS[grouping].hasOtherKey === true;
}

export function bucketName(grouping: AccountGrouping, key: string): string {
  const { keyName, hasOtherKey = false } = GROUPING_DISPLAYS[grouping];
  if (key === UNKNOWN_KEY) return "Unknown";
  if (key === OTHER_KEY && !hasOtherKey) return "All others";
  return keyName(key);
}

function orNone(name: string): (key: string) => string {
  return (key) => (key === NONE_KEY ? name : key);
}

function asIs(key: string): string {
  return key;
}
