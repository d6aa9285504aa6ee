/**
 * The conditions of routing rules: one entry each, with its schema, test, canonical text and documentation. Validation,
 * evaluation, statistics keys and OpenAPI derive from this table. Zod is an argument, so that a redirect, which only
 * tests conditions, never loads it. Pure. An unknown fact (null) meets no condition.
 */
import type { z as Zod } from "zod";

import { parseUrl } from "../hosts.ts";
import { boundedMemo } from "../memory/caches.ts";
import {
  canonicalTimeZone,
  isTimestamp,
  isTimeZone,
  timestamp,
  timestampSchema,
  type WallClock,
  wallClock,
} from "../time.ts";
import {
  BROWSERS,
  canonicalLanguage,
  CONTINENT_CODES,
  COUNTRY_CODES,
  DEVICES,
  OSES,
  withoutWww,
} from "../visitors/fact-values.ts";
import type { Visitor } from "../visitors/visitor.ts";
import { isUtmValue, UTM_MAX_CHARS, type UtmParameter, utmValue } from "../visitors/utm.ts";
import { foldCase } from "./case-folding.ts";

/** Maximum number of alternatives in one condition. */
const CONDITION_VALUES_MAX = 250;

const TEXT_MAX_CHARS = 200;

const QUERY_NAMES_MAX = 20;

const CITIES_MAX = 2_000;

type OneOrMany<T> = T | T[];

/** The functions of Zod used here: all of Zod would add its texts in fifty languages to the command's bundle. */
export type SchemaFunctions = Pick<
  typeof Zod,
  "array" | "enum" | "literal" | "number" | "record" | "strictObject" | "string" | "union"
>;

interface ConditionKind<V> {
  /** Documentation for the API reference. */
  doc: string;
  schema: (z: SchemaFunctions) => Zod.ZodType<V>;
  /**
   * Returns a test of whether the condition holds for a visitor. Work that does not depend on the visitor is done once.
   */
  test: (wanted: V) => (visitor: Visitor) => boolean;
  /** Equal for all spellings of one condition. */
  canonicalText: (wanted: V) => string;
}

const kinds = {
  after: condition<string>({
    doc: "At or after this time (RFC 3339).",
    schema: instantSchema,
    test: (wanted) => {
      const from = Date.parse(wanted);
      return ({ at }) => at >= from;
    },
    canonicalText: (wanted) => `after=${wanted}`,
  }),
  before: condition<string>({
    doc: "Before this time (RFC 3339).",
    schema: instantSchema,
    test: (wanted) => {
      const until = Date.parse(wanted);
      return ({ at }) => at < until;
    },
    canonicalText: (wanted) => `before=${wanted}`,
  }),
  browser: codeCondition("browser", "Browser, from client hints or the User-Agent.", (z) => z.enum(BROWSERS)),
  city: condition<OneOrMany<string>>({
    doc: "City where the edge locates the visitor, in English. Case and the encoding of accents do not matter.",
    schema: (z) => oneOrManySchema(z, z.string().trim().min(1).max(TEXT_MAX_CHARS)),
    test: cityTest,
    canonicalText: (wanted) => `city=${canonicalList(asList(wanted).map(foldCase))}`,
  }),
  continent: codeCondition("continent", "Continent.", (z) => z.enum(CONTINENT_CODES)),
  country: codeCondition("country", "ISO 3166-1 alpha-2 in any case; also `XX` (unknown) and `T1` (Tor).", (z) =>
    z
      .string()
      .toUpperCase()
      .refine((code) => COUNTRY_CODES.has(code), "must be an ISO 3166-1 alpha-2 country code, XX or T1")
      .meta({ pattern: "^[A-Za-z][A-Za-z1]$" }),
  ),
  device: codeCondition("device", "Device type.", (z) => z.enum(DEVICES)),
  language: condition<OneOrMany<string>>({
    doc: "BCP 47 tag or prefix (`de` matches `de-CH`) of the visitor's preferred language.",
    schema: (z) =>
      oneOrManySchema(
        z,
        z
          .string()
          .max(TEXT_MAX_CHARS)
          .refine((tag) => canonicalLanguage(tag) !== null, "must be a BCP 47 language tag such as de or pt-BR")
          .overwrite((tag) => canonicalLanguage(tag) ?? tag),
      ),
    test:
      (wanted) =>
      ({ language }) =>
        language !== null &&
        anyOf(
          wanted,
          language,
          (tag, is) => is.startsWith(tag) && (is.length === tag.length || is[tag.length] === "-"),
        ),
    canonicalText: (wanted) => `language=${canonicalList(asList(wanted))}`,
  }),
  os: codeCondition("os", "Operating system.", (z) => z.enum(OSES)),
  percent: condition<number>({
    doc: "Percentage of visitors, 0 to 100. Visitors keep their place, so 30 and then 60 send 30 percent to each.",
    schema: (z) => z.number().min(0).max(100),
    test:
      (wanted) =>
      ({ splitPoint }) =>
        splitPoint !== null && splitPoint < wanted,
    canonicalText: (wanted) => `percent=${wanted}`,
  }),
  query: condition<Record<string, true | OneOrMany<string>>>({
    doc: "Query parameters of the visit. Each must have this value, one of these values, or any value if `true`.",
    schema: (z) =>
      z
        .record(
          z.string().min(1).max(TEXT_MAX_CHARS),
          z.union([
            z.literal(true, "must be true, a string or a list of strings"),
            ...alternatives(z, z.string().max(TEXT_MAX_CHARS)),
          ]),
        )
        .refine((names) => Object.keys(names).length > 0, "must name at least one parameter")
        .refine(
          (names) => Object.keys(names).length <= QUERY_NAMES_MAX,
          `must name at most ${QUERY_NAMES_MAX} parameters`,
        )
        .meta({ minProperties: 1, maxProperties: QUERY_NAMES_MAX }),
    test: (wanted) => {
      const parameters = Object.entries(wanted);
      return ({ query }) =>
        parameters.every(([name, value]) => {
          const values = query.get(name);
          return values !== undefined && (value === true || anyOf(value, values, (one, are) => are.has(one)));
        });
    },
    canonicalText: (wanted) =>
      `query(${Object.entries(wanted)
        .map(([name, value]) =>
          value === true ? escapeReserved(name) : `${escapeReserved(name)}=${canonicalList(asList(value))}`,
        )
        .sort()
        .join("&")})`,
  }),
  referrer: condition<OneOrMany<string>>({
    doc: "Host of the referring page. Its subdomains also match. Android apps are `app:<package>`.",
    schema: (z) =>
      oneOrManySchema(
        z,
        z
          .string()
          .max(253)
          .refine(
            (text) => canonicalReferrer(text) !== null,
            "must be a host name such as example.com, or app:<package>",
          )
          .overwrite((text) => canonicalReferrer(text) ?? text),
      ),
    test:
      (wanted) =>
      ({ referrer }) =>
        referrer !== null && anyOf(wanted, referrer, (host, is) => is === host || isSubHost(is, host)),
    canonicalText: (wanted) => `referrer=${canonicalList(asList(wanted))}`,
  }),
  region: codeCondition("region", "ISO 3166-2 subdivision such as `US-TX`, in any case.", (z) =>
    z
      .string()
      .regex(/^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$/, "must be an ISO 3166-2 subdivision code such as US-TX")
      .toUpperCase(),
  ),
  source: codeCondition("source", "`qr` if a QR code of the link was scanned, otherwise `link`.", (z) =>
    z.enum(["link", "qr"]),
  ),
  time: condition<TimeWindow>({
    doc: "Local time in `tz`: on `days`, from `from` until before `to` (HH:MM). A window past midnight belongs to the day it begins.",
    schema: timeWindowSchema,
    test:
      (wanted) =>
      ({ at }) =>
        isInWindow(wanted, wallClock(wanted.tz, at)),
    canonicalText: ({ days, from, to, tz }) =>
      `time(${[
        days && `days=${canonicalList(days)}`,
        from && from !== DAY_START && `from=${from}`,
        to && to !== DAY_END && `to=${to}`,
        `tz=${tz}`,
      ]
        .filter(Boolean)
        .join("&")})`,
  }),
  utm_campaign: utmCondition("utm_campaign"),
  utm_content: utmCondition("utm_content"),
  utm_medium: utmCondition("utm_medium"),
  utm_source: utmCondition("utm_source"),
  utm_term: utmCondition("utm_term"),
};

export type ConditionKey = keyof typeof kinds;

/** The type of each key's value. */
export type ConditionValues = { [K in ConditionKey]: (typeof kinds)[K] extends ConditionKind<infer V> ? V : never };

/** Conditions that must all hold. */
export type PlainCondition = { [K in ConditionKey]?: ConditionValues[K] };

export const CONDITIONS: { readonly [K in ConditionKey]: ConditionKind<ConditionValues[K]> } = kinds;

/** In alphabetical order, the order of testing and writing. */
export const CONDITION_KEYS = Object.keys(kinds).sort() as ConditionKey[];

/** Whether a member of a rule's condition is neither one of these keys nor `not`. */
export function isUnknownKey(key: string): boolean {
  return key !== "not" && !Object.hasOwn(CONDITIONS, key);
}

/** Visitors come from few cities, so each name is folded once. */
const foldedCity = boundedMemo(CITIES_MAX, foldCase);

function cityTest(wanted: OneOrMany<string>): (visitor: Visitor) => boolean {
  const names = new Set(asList(wanted).map(foldCase));
  return ({ city }) => city !== null && names.has(foldedCity(city));
}

function condition<V>(kind: ConditionKind<V>): ConditionKind<V> {
  return kind;
}

function instantSchema(z: SchemaFunctions): Zod.ZodType<string> {
  // Zod also overwrites values that a check has just refused.
  return timestampSchema(z).overwrite((text) => (isTimestamp(text) ? timestamp(Date.parse(text)) : text));
}

type CodeFact = "browser" | "continent" | "country" | "device" | "os" | "region" | "source" | UtmParameter;

/** A condition on a fact that has codes as values. */
function codeCondition(
  fact: CodeFact,
  doc: string,
  item: (z: SchemaFunctions) => Zod.ZodType<string>,
): ConditionKind<OneOrMany<string>> {
  return {
    doc,
    schema: (z) => oneOrManySchema(z, item(z)),
    test: (wanted) => codeTest(fact, wanted),
    canonicalText: (wanted) => `${fact}=${canonicalList(asList(wanted))}`,
  };
}

/** Searches the list in order: a set would take ten times the memory of the link's rules. */
function codeTest(fact: CodeFact, wanted: OneOrMany<string>): (visitor: Visitor) => boolean {
  if (!Array.isArray(wanted)) return (visitor) => visitor[fact] === wanted;
  const codes: readonly (string | null)[] = wanted;
  return (visitor) => codes.includes(visitor[fact]);
}

function utmCondition(name: UtmParameter): ConditionKind<OneOrMany<string>> {
  return codeCondition(name, `\`${name}\` of the visit's query, case-insensitive.`, (z) =>
    z.string().max(TEXT_MAX_CHARS).refine(isUtmValue, `must have 1 to ${UTM_MAX_CHARS} characters`).overwrite(utmValue),
  );
}

function oneOrManySchema<T>(z: SchemaFunctions, item: Zod.ZodType<T>): Zod.ZodType<OneOrMany<T>> {
  return z.union(alternatives(z, item));
}

function alternatives<T>(z: SchemaFunctions, item: Zod.ZodType<T>): [Zod.ZodType<T>, Zod.ZodType<T[]>] {
  return [item, z.array(item).min(1).max(CONDITION_VALUES_MAX)];
}

/** The fact is an argument of the test, so that no closure is allocated on each visit. */
function anyOf<T, F>(wanted: OneOrMany<T>, fact: F, test: (one: T, fact: F) => boolean): boolean {
  return Array.isArray(wanted) ? wanted.some((one) => test(one, fact)) : test(wanted, fact);
}

function asList<T>(wanted: OneOrMany<T>): T[] {
  return Array.isArray(wanted) ? wanted : [wanted];
}

function canonicalList(values: readonly string[]): string {
  return [...new Set(values)].sort().map(escapeReserved).join(",");
}

/** Escapes the characters that structure the canonical text. */
function escapeReserved(text: string): string {
  return text.replace(/[%&=,()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function canonicalReferrer(text: string): string | null {
  if (/^app:[A-Za-z0-9._]+$/.test(text)) return text;
  if (/[\s/:@?#\\]/.test(text)) return null;
  const host = withoutWww(parseUrl(`http://${text}`)?.hostname ?? "");
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) ? host : null;
}

/** The parts of an Android package name are not subdomains. */
function isSubHost(referrer: string, host: string): boolean {
  return referrer.endsWith(`.${host}`) && !referrer.startsWith("app:");
}

/** The window of a `time` condition: days of the week and hours in a time zone. */
const DAY_START = "00:00";
const DAY_END = "24:00";
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const TIME_ZONE_MAX_CHARS = 200;

interface TimeWindow {
  tz: string;
  days?: (typeof DAYS)[number][] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

function timeWindowSchema(z: Pick<typeof Zod, "array" | "enum" | "strictObject" | "string">): Zod.ZodType<TimeWindow> {
  return z
    .strictObject({
      tz: z
        .string()
        .max(TIME_ZONE_MAX_CHARS)
        .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
        .overwrite(canonicalTimeZone),
      days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional(),
      from: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be HH:MM, 00:00 to 23:59")
        .optional(),
      to: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, "must be HH:MM, 00:00 to 24:00")
        .optional(),
    })
    .refine(({ days, from, to }) => days || from || to, "must have days, from or to")
    .refine(({ from = DAY_START, to }) => from !== to, "from and to must differ");
}

/** @param clock  in the window's time zone */
export function isInWindow({ days, from = DAY_START, to = DAY_END }: TimeWindow, { day, minute }: WallClock): boolean {
  const [start, end] = [minuteOf(from), minuteOf(to)];
  const onDay = (index: number) => !days || days.some((name) => name === DAYS[index]);
  if (start < end) return minute >= start && minute < end && onDay(day);
  return minute >= start ? onDay(day) : minute < end && onDay((day + 6) % 7);
}

function minuteOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}
