/**
 * Reads the fields of one entry. CSV headers and JSON members have the same names once case and punctuation are gone, so
 * that one reader serves both files of a service. A Map, because names such as `__proto__` come from the file.
 */
import { parseUrl } from "../http/untrusted-url.ts";
import type { RoutingRule } from "../links/routing.ts";
import { timestamp } from "../timestamp.ts";
import type { Fields, ImportedContent } from "./source-link.ts";

/** `Short link`, `shortLink` and `short_link` are `shortlink`. */
export function fieldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** The first of these fields that is filled; empty when none is. */
export function textOf(fields: Fields, ...names: string[]): string {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return "";
}

/** Texts of a list: of an array, of objects with a name, or of one text with separators. */
export function listOf(fields: Fields, name: string, separators: RegExp): string[] {
  const value = fields.get(name);
  const items = Array.isArray(value) ? value.map(nameOf) : typeof value === "string" ? value.split(separators) : [];
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

function nameOf(item: unknown): string {
  if (typeof item === "string") return item;
  const name = isRecord(item) ? item.name : undefined;
  return typeof name === "string" ? name : "";
}

/** Whether a field holds something: spreadsheets write false, no and 0 where JSON has false, null and 0. */
export function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.values(value).some(isSet);
  return isSet(value);
}

function isSet(value: unknown): boolean {
  if (typeof value === "string") return !/^(?:|false|no|0|null|none)$/i.test(value.trim());
  return value !== null && value !== undefined && value !== false && value !== 0;
}

export function isYes(fields: Fields, name: string): boolean {
  const value = fields.get(name);
  return value === true || value === 1 || (typeof value === "string" && /^(?:true|yes|1)$/i.test(value.trim()));
}

/** Later than 1973 in milliseconds; as seconds it would be the year 5138. */
const FIRST_MILLISECONDS = 1e11;

const TIME_MAX_CHARS = 80;

/** As databases write it, without an offset. They keep UTC. */
const DATABASE_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(\.\d+)?$/;

/** RFC 3339 of an epoch in seconds or milliseconds, or of a date; the text itself where it is none of these. */
function instantOf(text: string): string {
  if (text.length > TIME_MAX_CHARS) return text;
  if (/^\d{9,14}$/.test(text))
    return timestamp(Number(text) < FIRST_MILLISECONDS ? Number(text) * 1_000 : Number(text));
  const [, day, time] = DATABASE_TIME.exec(text) ?? [];
  const at = Date.parse(day === undefined ? text : `${day}T${time}Z`);
  // Years of five digits are written with a sign, which RFC 3339 does not have.
  return Number.isNaN(at) || Math.abs(at) > 253e12 ? text : timestamp(at);
}

export interface ShortAddress {
  domain: string;
  slug: string;
}

/** Host and path of a short URL, with or without its scheme; null where it is none. */
export function shortAddressOf(text: string): ShortAddress | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || url.hostname === "") return null;
  return { domain: url.host, slug: decoded(url.pathname.slice(1)) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A map of countries to destinations as rules. Entries that are not texts are left to the API's validation. */
export function countryRules(value: unknown): RoutingRule[] {
  if (!isRecord(value)) return [];
  const byCountry = new Map(
    Object.entries(value).flatMap(([country, to]): [string, string][] =>
      typeof to === "string" && to !== "" ? [[country.trim().toUpperCase(), to]] : [],
    ),
  );
  return [...byCountry].map(([country, to]) => ({ if: { country }, to }));
}

export function systemRule(os: "ios" | "android", to: string): RoutingRule[] {
  return to === "" ? [] : [{ if: { os }, to }];
}

interface FoundContent {
  url: string;
  title?: string;
  tags?: string[];
  startsAt?: string;
  expiresAt?: string;
  fallbackUrl?: string;
  forwardQuery?: boolean;
  routing?: RoutingRule[];
}

/** Only what the entry tells: what is empty there is left out, so that it clears nothing at a later run. */
export function contentOf(found: FoundContent): ImportedContent {
  const { url, title, tags, startsAt, expiresAt, fallbackUrl, forwardQuery, routing } = found;
  return {
    url,
    ...(title ? { title } : {}),
    ...(tags?.length ? { tags } : {}),
    ...(startsAt ? { starts_at: instantOf(startsAt) } : {}),
    ...(expiresAt ? { expires_at: instantOf(expiresAt) } : {}),
    ...(fallbackUrl ? { fallback_url: fallbackUrl } : {}),
    ...(forwardQuery ? { forward_query: true } : {}),
    ...(routing?.length ? { routing } : {}),
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
