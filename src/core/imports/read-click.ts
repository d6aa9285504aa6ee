/** Reads a single click of another service, using the table of its service (services.ts). Pure. */
import { IMPORTED_SINCE } from "../contract/click-imports.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { decodePath } from "../hosts.ts";
import { SLUG_MAX_CHARS } from "../limits.ts";
import { textMemo } from "../memory/caches.ts";
import { timestamp } from "../time.ts";
import { isDeclaredBot } from "../visitors/declared-bots.ts";
import { BROWSERS, canonicalLanguage, COUNTRY_CODES, DEVICES, OSES } from "../visitors/fact-values.ts";
import { detectClient } from "../visitors/user-agent.ts";
import { utmFacts } from "../visitors/utm.ts";
import { addressIn, fieldName, filled, instantOf, isYes, textOf } from "./read-link.ts";
import type { ClickColumns, ClickPart, Fields } from "./source-link.ts";

const CITY_MAX_CHARS = 100;
const REGION_MAX_CHARS = 6;
const REFERRER_MAX_CHARS = 500;

const CLIENTS_MAX = 2_000;

export interface ReadClick {
  /** Its link's host name at the other service, in the stored form; null if the file does not contain it. */
  domain: string | null;
  slug: string;
  /** As requests contain it, as JSON. It begins with its time, so clicks sort as texts. */
  json: string;
}

const FIRST_CLICK = timestamp(IMPORTED_SINCE);

/** @param now  as a timestamp @returns null without an address, or without a possible time */
export function readClick(fields: Fields, columns: ClickColumns, now: string): ReadClick | null {
  const namesOf = (part: ClickPart) => columns[part] ?? [fieldName(part)];
  const text = (part: ClickPart) => textOf(fields, namesOf(part));
  const has = (part: ClickPart, is: (value: unknown) => boolean) => namesOf(part).some((name) => is(fields.get(name)));
  const at = instantOf(text("at"));
  const names = { shortUrl: namesOf("shortUrl"), domain: namesOf("domain"), slug: namesOf("slug") };
  const { domain, slug } = addressIn(fields, names);
  // Texts that are not times are unchanged, and one would make the API refuse all clicks of its request.
  if (!/^\d{4}-.*Z$/.test(at) || Number.isNaN(Date.parse(at)) || at < FIRST_CLICK || at > now) return null;
  // Longer texts, which can be costly to compare, are not slugs of links.
  if (slug === "" || slug.length > 2 * SLUG_MAX_CHARS) return null;
  const country = countryOf(text("country"));
  const query = new URLSearchParams(text("shortUrl").split("?")[1]);
  const isBot = has("bot", isYes) || has("human", (value) => value === false || value === "false");
  const click = filled({
    country,
    region: text("region").startsWith(`${country}-`) ? text("region").slice(0, REGION_MAX_CHARS) : "",
    city: knownText(text("city"), CITY_MAX_CHARS),
    referrer: knownText(text("referrer"), REFERRER_MAX_CHARS),
    language: canonicalLanguage(text("language")) ?? "",
    device: named(DEVICES, text("device")),
    os: named(OSES, text("os")),
    browser: named(BROWSERS, text("browser")),
    // The address and the text of the visitor's program stay in the file.
    ...(text("user_agent") === "" ? {} : cachedClient(text("user_agent"))),
    ...(isBot ? { bot: true } : {}),
    ...utmFacts((name) => text(name) || query.get(name)),
  });
  return {
    domain: domain === null ? null : normalizedDomain(domain),
    slug: decodePath(slug) ?? slug,
    json: JSON.stringify({ at, ...click }),
  };
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** The code, also of a country that is named in English; "" if it is not known. */
function countryOf(text: string): string {
  if (COUNTRY_CODES.has(text.toUpperCase())) return text.toUpperCase();
  codesByName ??= countryNames();
  return codesByName.get(text.toLowerCase()) ?? "";
}

function countryNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const countries = [...COUNTRY_CODES].filter((code) => /^[A-Z]+$/.test(code));
  return new Map(countries.map((code) => [names.of(code)?.toLowerCase() ?? code, code]));
}

const UNKNOWN = /^\(?(?:direct|unknown|none|null)\)?$/i;

function knownText(text: string, maxChars: number): string {
  const clean = text
    .slice(0, maxChars)
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim();
  return UNKNOWN.test(clean) ? "" : clean;
}

/** The name that another service's contains, such as `Mobile Safari`; "" without one. */
function named<Name extends string>(names: readonly Name[], text: string): Name | "other" | "" {
  const letters = text.toLowerCase().replace(/[^a-z]/g, "");
  return letters === "" || UNKNOWN.test(text) ? "" : (names.find((name) => letters.includes(name)) ?? "other");
}

const cachedClient = textMemo(CLIENTS_MAX, (userAgent) => ({
  ...detectClient(userAgent, { mobile: null, platform: null, brands: null }),
  ...filled({ bot: isDeclaredBot(userAgent) }),
}));
