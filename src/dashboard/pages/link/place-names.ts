/** Names of places and languages by code, from the browser's `Intl`, which avoids downloading a table. Pure. */
import { CONTINENT_CODES, COUNTRY_CODES } from "../../../core/visitors/fact-values.ts";

type Continent = (typeof CONTINENT_CODES)[number];

const CONTINENT_NAMES: Record<Continent, string> = {
  AF: "Africa",
  AN: "Antarctica",
  AS: "Asia",
  EU: "Europe",
  NA: "North America",
  OC: "Oceania",
  SA: "South America",
};

const regionNames = new Intl.DisplayNames("en", { type: "region", fallback: "code" });
const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

export function countryName(code: string): string {
  if (code === "XX") return "Unknown country";
  if (code === "T1") return "Tor network";
  return COUNTRY_CODES.has(code) ? (regionNames.of(code) ?? code) : code;
}

export function continentName(code: string): string {
  return (CONTINENT_NAMES as Record<string, string>)[code] ?? code;
}

/** Formats `DE-BE` as `Germany, BE`: `Intl` has no names of subdivisions. */
export function regionName(code: string): string {
  const [country = "", region] = code.split("-");
  return region === undefined ? code : `${countryName(country)}, ${region}`;
}

export function languageName(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Converts a numeric country code (ISO 3166-1), which the map's shapes carry, to alpha-2; null if unknown.
 * `Intl.Locale` has the table, because language tags are canonicalized to alpha-2 regions.
 */
export function countryFromNumericCode(number: string): string | null {
  if (!/^\d{3}$/.test(number)) return null;
  const code = new Intl.Locale(`und-${number}`).region ?? "";
  return COUNTRY_CODES.has(code) ? code : null;
}

export const COUNTRY_OPTIONS = [...COUNTRY_CODES]
  .map((code) => ({ value: code, label: `${countryName(code)} (${code})` }))
  .sort((a, b) => a.label.localeCompare(b.label, "en"));

export const CONTINENT_OPTIONS = CONTINENT_CODES.map((code) => ({ value: code, label: continentName(code) }));
