/**
 * Reads one entry of an export file, using the table of its service (services.ts). Fields are a Map, because names such
 * as `__proto__` come from the file.
 */
import { MEMBERS_IN } from "../contract/link-members.ts";
import { decodePath, parseUrl } from "../hosts.ts";
import { LINK_ALIASES_MAX } from "../limits.ts";
import type { SocialCard } from "../links/link-members.ts";
import type { RoutingRule } from "../links/routing.ts";
import { timestamp } from "../time.ts";
import type {
  ServiceColumns,
  Fields,
  ImportedContent,
  Reason,
  RuleKind,
  ImportedService,
  SourceLink,
} from "./source-link.ts";

export function readLink(fields: Fields, service: ImportedService): SourceLink | Reason {
  const { columns, rules = [], tagSeparators = /[,;|]/, refused, cardIf } = service;
  if (refused && isFilled(fields.get(refused.column))) return { reason: refused.reason, advice: refused.advice };
  const text = (column: keyof ServiceColumns) => textOf(fields, columns[column]);
  const values = (column: keyof ServiceColumns) => columns[column]?.map((name) => fields.get(name)) ?? [];
  const more = values("moreShortUrls").flatMap((value) => listOf(value, /[\s,;|]+/));
  if (more.length > LINK_ALIASES_MAX) {
    return {
      reason: `The link has more than ${LINK_ALIASES_MAX} custom addresses.`,
      advice: "Create it by hand with those that are in use.",
    };
  }
  const content: ImportedContent = {
    url: text("url"),
    // Only filled members: an empty one must not clear anything in a later import.
    ...filled({
      // phpMyAdmin writes this word into CSV.
      title: text("title").replace(/^NULL$/, ""),
      tags: values("tags").flatMap((value) => listOf(value, tagSeparators)),
      starts_at: instantOf(text("startsAt")),
      expires_at: instantOf(text("expiresAt")),
      fallback_url: text("fallbackUrl"),
      forward_query: values("forwardQuery").some(isYes) || values("dropsQuery").includes(false),
      archived: values("archived").some(isYes),
      password: MEMBERS_IN.password.safeParse(text("password")).success ? text("password") : null,
      social: cardIf === undefined || isYes(fields.get(cardIf)) ? cardOf(text) : null,
      routing: rules.flatMap(([kind, ...names]) => RULES[kind](fields, names)),
    }),
  };
  const own = addressIn(fields, columns);
  const others = more.map((shortUrl) => shortAddressOf(shortUrl) ?? { domain: null, slug: "" });
  const [first = own, ...rest] = own.domain === null && own.slug === "" ? others : [own, ...others];
  // The sum counts the visits of all addresses.
  return { ...first, ...filled({ clicks: countOf(text("clicks")) }), aliases: rest, content };
}

function cardOf(text: (column: keyof ServiceColumns) => string): SocialCard | null {
  const card = filled({ title: text("cardTitle"), description: text("cardDescription"), image: text("cardImage") });
  return Object.keys(card).length > 0 ? card : null;
}

/** Spreadsheets write thousands with a separator. */
function countOf(text: string): number {
  return /^\d[\d.,' ]*$/.test(text) ? Number(text.replace(/\D/g, "").slice(0, 15)) : 0;
}

/** The short address of a link or a click. */
export function addressIn(fields: Fields, columns: AddressColumns): { domain: string | null; slug: string } {
  const address = shortAddressOf(textOf(fields, columns.shortUrl));
  const slug = textOf(fields, columns.slug) || address?.slug || "";
  return {
    domain: address?.domain || textOf(fields, columns.domain).replace(/^default$/i, "") || null,
    slug: slug === ROOT_SLUG ? "" : slug.replace(/^\/|\/$/g, ""),
  };
}

type AddressColumns = Pick<ServiceColumns, "shortUrl" | "domain" | "slug">;

/** dub's name for a domain's home page. */
const ROOT_SLUG = "_root";

/** `Short link`, `shortLink` and `short_link` all become `shortlink`. */
export function fieldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** The first of these fields that is filled; empty if none is. */
export function textOf(fields: Fields, names: readonly string[] = []): string {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return "";
}

/** Texts of a list: an array, objects with a name, or one text with separators. */
function listOf(value: unknown, separators: RegExp): string[] {
  const items = Array.isArray(value) ? value : typeof value === "string" ? value.split(separators) : [];
  return items.flatMap((item: unknown) => {
    const name = isRecord(item) ? item.name : item;
    return typeof name === "string" && name.trim() !== "" ? [name.trim()] : [];
  });
}

/** Whether a field has content: spreadsheets and databases write false, no, f and 0 for JSON's false, null and 0. */
export function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.values(value).some(isSet);
  return isSet(value);
}

function isSet(value: unknown): boolean {
  if (typeof value === "string") return !/^(?:|false|f|no|0|null|none)$/i.test(value.trim());
  return value !== null && value !== undefined && value !== false && value !== 0;
}

export function isYes(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && /^(?:true|yes|1)$/i.test(value.trim()));
}

export function filled<Members extends object>(members: Members): Partial<Members> {
  const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))) as Partial<Members>;
}

/** Larger numbers are milliseconds (since March 1973). As seconds they would be in the year 5138 or later. */
const FIRST_MILLISECONDS = 1e11;

const TIME_MAX_CHARS = 80;

/** The format of databases, without an offset. Databases store UTC. */
const DATABASE_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(\.\d+)?$/;

/** Converts an epoch in seconds or milliseconds, or a date, to RFC 3339. Returns other texts unchanged. */
export function instantOf(text: string): string {
  if (text.length > TIME_MAX_CHARS) return text;
  if (/^\d{9,14}$/.test(text))
    return timestamp(Number(text) < FIRST_MILLISECONDS ? Number(text) * 1_000 : Number(text));
  const [, day, time] = DATABASE_TIME.exec(text) ?? [];
  const at = Date.parse(day === undefined ? text : `${day}T${time}Z`);
  // Five-digit years are written with a sign, which RFC 3339 does not allow.
  return Number.isNaN(at) || Math.abs(at) > 253e12 ? text : timestamp(at);
}

/** Host and path of a short URL, with or without its scheme; null if the text is not one. */
function shortAddressOf(text: string): { domain: string; slug: string } | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || url.hostname === "") return null;
  const path = url.pathname.slice(1).replace(/\/$/, "");
  return { domain: url.host, slug: decodePath(path) ?? path };
}

/** Converts other services' targeting to rules. Invalid targeting is omitted; the API validates destinations. */
const RULES: Record<RuleKind, (fields: Fields, names: readonly string[]) => RoutingRule[]> = {
  ios: (fields, names) => systemRule("ios", textOf(fields, names)),
  android: (fields, names) => systemRule("android", textOf(fields, names)),
  devices: (fields, [name = ""]) => {
    const devices = new Map(entriesOf(fields.get(name)));
    return [...systemRule("ios", devices.get("ios")), ...systemRule("android", devices.get("android"))];
  },
  countries: (fields, [name = ""]) => {
    const byCountry = new Map(entriesOf(fields.get(name)).map(([country, to]) => [country.trim().toUpperCase(), to]));
    return [...byCountry].map(([country, to]) => ({ if: { country }, to }));
  },
  /** A share of the visitors is sent to the other destination. */
  split: (fields, [url = "", share = ""]) => {
    const [to, percent] = [textOf(fields, [url]), Number(textOf(fields, [share]))];
    return to !== "" && percent > 0 ? [{ if: { percent }, to }] : [];
  },
  /** Variants of a running A/B test: each threshold adds the variant's share, and the last variant gets the rest. */
  variants: (fields, [name = "", completedAt = ""]) => {
    const variants = fields.get(name);
    if (!Array.isArray(variants) || textOf(fields, [completedAt]) !== "") return [];
    let percent = 0;
    return variants.flatMap((variant: unknown): RoutingRule[] => {
      if (!isRecord(variant) || typeof variant.url !== "string" || typeof variant.percentage !== "number") return [];
      percent = Math.min(100, percent + variant.percentage);
      return [{ if: { percent }, to: variant.url }];
    });
  },
};

function systemRule(os: "ios" | "android", to = ""): RoutingRule[] {
  return to === "" ? [] : [{ if: { os }, to }];
}

/** The members of an object whose values are texts. */
function entriesOf(value: unknown): [name: string, text: string][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, text]) => (typeof text === "string" && text ? [[name, text]] : []));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
