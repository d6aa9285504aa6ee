/** Keys of the statistics in words for people. Pure. */
import { DIRECT_KEY, NONE_KEY, UNKNOWN_KEY } from "../../../../core/clicks/facts.ts";
import { type Grouping, OTHER_KEY } from "../../../../core/clicks/groupings.ts";
import { DEFAULT_RULE_KEY } from "../../../../core/links/routing.ts";
import { continentName, countryName, languageName, regionName } from "../place-names.ts";
import { browserName, deviceName, osName } from "../software-names.ts";

export const GROUPING_NAMES: Record<Grouping, string> = {
  country: "Country",
  continent: "Continent",
  region: "Region",
  city: "City",
  device: "Device",
  os: "System",
  browser: "Browser",
  language: "Language",
  referrer: "Referrer",
  source: "Source",
  qr: "QR code",
  rule: "Rule",
  destination: "Destination",
};

const SOURCE_NAMES: Record<string, string> = { qr: "QR code", link: "Link" };

const KEY_NAMES: Record<Grouping, (key: string) => string> = {
  country: countryName,
  continent: continentName,
  region: regionName,
  city: (key) => key,
  device: deviceName,
  os: osName,
  browser: browserName,
  language: languageName,
  referrer: (key) => (key === DIRECT_KEY ? "Direct" : key.replace(/^app:/, "App ")),
  source: (key) => SOURCE_NAMES[key] ?? key,
  qr: (key) => (key === NONE_KEY ? "No QR code" : key),
  rule: (key) => (key === DEFAULT_RULE_KEY ? "No rule matched" : key),
  destination: (key) => key,
};

/** Groupings whose own keys include the word that the rest is added up under. */
const GROUPINGS_WITH_OTHER: readonly Grouping[] = ["device", "os", "browser"];

export function bucketName(grouping: Grouping, key: string): string {
  if (key === UNKNOWN_KEY) return "Unknown";
  if (key === OTHER_KEY && !GROUPINGS_WITH_OTHER.includes(grouping)) return "All others";
  return KEY_NAMES[grouping](key);
}
