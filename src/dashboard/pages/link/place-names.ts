/** Codes of places and languages in words, over the browser's own names (Intl), so that no table is sent. Pure. */
import { CONTINENT_CODES, COUNTRY_CODES } from "../../../core/visitors/places.ts";

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

/** `DE-BE` as `Germany, BE`: the browser knows no names of subdivisions. */
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
 * The country's alpha-2 code behind a numeric one (ISO 3166-1), which maps are drawn with; null when there is none.
 * The rules by which language tags are written hold that table.
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
