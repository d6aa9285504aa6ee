/** Schemas that many resources share: numbers in queries, pages of lists, timestamps, destinations. */
import * as z from "zod";

import type { Problem } from "../errors.ts";
import { hasOverlongHost } from "../hosts.ts";
import { ENCODED_URL_MAX_BYTES, URL_MAX_CHARS } from "../limits.ts";
import { timestampSchema } from "../time.ts";
import { problemAt } from "./zod-problems.ts";

/**
 * A whole number in a query: plain decimal digits, such as `20`. `Number` would also accept `1e1`, `0x10`, ` 5` and
 * `05`, which other readers of the same URL interpret differently.
 */
export function decimal(min: number, max = Number.MAX_SAFE_INTEGER) {
  const error = ({ code }: { code?: string }) =>
    code === "invalid_type" ? "must be a whole number in decimal digits" : undefined;
  const range = max === Number.MAX_SAFE_INTEGER ? undefined : `must be between ${min} and ${max}`;
  const number = z.int({ error }).min(min, range).max(max, range);
  return z.preprocess((text) => (/^(?:0|-?[1-9][0-9]{0,14})$/.test(String(text)) ? Number(text) : text), number);
}

/**
 * Query parameters of a list. Every list is paged alike: `limit` and `cursor` in, `has_more` and `next_cursor` out.
 * @param of  the listed items, for the description
 * @param cursor  pattern of the list's cursors
 */
export function pageQuery(limitMax: number, of: string, cursor: RegExp) {
  return {
    limit: decimal(1, limitMax)
      .default(20)
      .meta({ description: `Maximum number of ${of} on the page.`, examples: [20] }),
    cursor: z
      .string()
      .regex(cursor, "must be the next_cursor of an earlier page")
      .optional()
      .meta({ description: "`next_cursor` of the previous page." }),
  };
}

export function pageShape<Item extends z.ZodType>(item: Item) {
  return {
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: "`cursor` for the next request. Null on the last page." }),
  };
}

export const TimestampOut = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "ISO 8601, in UTC with milliseconds.", examples: ["2026-01-31T12:00:00.000Z"] });

export const TimestampIn = timestampSchema({ string: z.string }).meta({
  format: "date-time",
  description: "RFC 3339, with an offset or `Z`.",
  examples: ["2026-12-31T23:59:59Z"],
});

/** Examples of two time bounds that together form a valid range, so that a request with both finds something. */
export const FROM_EXAMPLE = { examples: ["2026-11-01T00:00:00Z"] };
export const TO_EXAMPLE = { examples: ["2026-12-01T00:00:00Z"] };

export const Destination = z
  .string()
  .max(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`)
  .superRefine((text, context) => {
    const message = destinationFault(text);
    if (message) context.addIssue({ code: "custom", message });
  })
  .meta({
    description: `http or https URL, at most ${ENCODED_URL_MAX_BYTES} bytes when percent-encoded, without user name or password, not on this service's short domains. Stored and returned exactly as sent.`,
    examples: ["https://example.com/spring?utm_source=poster"],
  });

/** @returns why the text cannot be a destination, or null */
function destinationFault(text: string): string | null {
  // URL parsers drop these silently, so the stored text would differ from the URL that is visited.
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters deliberately
  if (/[\u0000-\u0020\u007f]/.test(text)) return "must not contain spaces or control characters";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text)) return "must begin with http:// or https://";
  if (hasOverlongHost(text)) return "must have a valid host of at most 253 characters";
  const url = URL.parse(text);
  if (!url) return "must be an absolute URL such as https://example.com/";
  // URL parsers also accept one slash, three, or a backslash before the host; other readers of the same text do not.
  if (!/^https?:\/\/[^/\\]/i.test(text)) return "must have a host after http:// or https://";
  // In https://a.example\@b.example/ browsers see the host a.example, readers of RFC 3986 b.example: a filter could be
  // shown a harmless host.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  if (authority.includes("\\")) return "must not have a backslash in its host";
  if (authority.includes("@")) return "must not contain a user name or password";
  // If the text has too many characters, that problem is reported instead.
  const hostGrowth = Math.max(0, url.host.length - encodedBytes(authority));
  if (encodedBytes(text) + hostGrowth > ENCODED_URL_MAX_BYTES && [...text].length <= URL_MAX_CHARS)
    return `must have at most ${ENCODED_URL_MAX_BYTES} bytes in its percent-encoded form`;
  return null;
}

/**
 * Bytes after a redirect's encoding (core/links/visit-decision.ts), or more, except for a host's A-labels.
 * @param url  well-formed
 */
function encodedBytes(url: string): number {
  const [beforeFragment = "", ...fragments] = url.replaceAll(/%[\dA-Fa-f]{2}/g, "xxx").split("#");
  const fragment = fragments.length > 0 ? `#${fragments.join("xxx")}` : "";
  return encodeURI(beforeFragment + fragment).length;
}

/**
 * JSON of request bodies. Reports problems that a parsed value does not show, or that later code would silently drop:
 * duplicate names in an object, and `__proto__`.
 */

/** Bounds recursion over a body. Real bodies have at most eight levels. */
export const JSON_DEPTH_MAX = 32;

const PROBLEMS_MAX = 100;
const NAME_MAX_CHARS = 200;

/** A string, with the colon that follows a name; or a token that opens, closes or separates. Assumes valid JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*(:))?|[{}[\],]/g;

/** An open object or array, and the current position in it. */
interface Level {
  /** Names so far; null for an array. */
  names: Set<string> | null;
  at: string | number;
}

/** @param text  valid JSON @returns null when the text is nested deeper than `JSON_DEPTH_MAX` */
export function jsonTextProblems(text: string): Problem[] | null {
  const problems: Problem[] = [];
  const open: Level[] = [];
  for (const [token, colon] of text.matchAll(TOKENS)) {
    const level = open.at(-1);
    if (token === "{" || token === "[") {
      if (open.length === JSON_DEPTH_MAX) return null;
      open.push({ names: token === "{" ? new Set() : null, at: 0 });
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ",") {
      if (typeof level?.at === "number") level.at++;
    } else if (colon && level) enterMember(level, nameOf(token), open, problems);
  }
  return problems;
}

function nameOf(token: string): string {
  const literal = token.slice(0, token.lastIndexOf('"') + 1);
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

function enterMember(level: Level, name: string, open: readonly Level[], problems: Problem[]): void {
  const isRepeated = level.names?.has(name);
  level.names?.add(name);
  level.at = name.slice(0, NAME_MAX_CHARS);
  if (problems.length === PROBLEMS_MAX || !(isRepeated || name === "__proto__")) return;
  const path = open.map(({ at }) => at);
  problems.push(
    isRepeated
      ? problemAt(path, "repeated", "must be given once")
      : problemAt(path, "invalid_key", "has a name that is not allowed"),
  );
}

/**
 * The same text for all spellings of a value: sorted names, no white space, normalized numbers.
 * @param value  parsed JSON of at most `JSON_DEPTH_MAX` levels
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
