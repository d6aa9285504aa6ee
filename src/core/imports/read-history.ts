/** Reads the history of an import: single clicks from a file beside the file of links, or the sums in that file. */
import { IMPORTED_SINCE } from "../contract/click-imports.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { decodePath } from "../hosts.ts";
import { addressKey } from "../links/case-folding.ts";
import { SLUG_MAX_CHARS } from "../limits.ts";
import { textMemo } from "../memory/caches.ts";
import { timestamp } from "../time.ts";
import { isDeclaredBot } from "../visitors/declared-bots.ts";
import { BROWSERS, canonicalLanguage, COUNTRY_CODES, DEVICES, OSES } from "../visitors/fact-values.ts";
import { detectClient } from "../visitors/user-agent.ts";
import { utmFacts } from "../visitors/utm.ts";
import { clickEntries } from "./click-entries.ts";
import { type ImportAccount, type ImportOptions, keyOfAddress, resolveLinks } from "./plan-import.ts";
import type { ReadExport } from "./read-export.ts";
import { addressIn, fieldName, filled, instantOf, isYes, textOf } from "./read-link.ts";
import { type FormatName, SERVICES } from "./services.ts";
import { type ClickColumns, type ClickPart, type Fields, UnreadableFileError } from "./source-link.ts";

export interface History {
  /** Of the import: a digest of the account and of the file with the history, so that a repeated import has the same. */
  id: string;
  source: FormatName;
  /** Null: only sums. */
  clicks: ClickStore | null;
  /** When the other service exported the sums. */
  until: string;
  /** Clicks of all links. */
  total: number;
  /** Clicks whose link is not imported. */
  unmatched: number;
  /** Entries without an address or a possible time. */
  unreadable: number;
}

interface HistoryReading {
  importId: string;
  account: ImportAccount;
  options: ImportOptions;
  spill: Spill;
  /** Epoch ms. */
  now: number;
}

/** The sums in a file of links, if it has some. @param exportedAt  epoch ms */
export function readSums({ links, format }: ReadExport, importId: string, exportedAt: number): History | null {
  const total = links.reduce((sum, { clicks = 0 }) => sum + clicks, 0);
  const until = timestamp(exportedAt);
  return total > 0 ? { id: importId, source: format, clicks: null, until, total, unmatched: 0, unreadable: 0 } : null;
}

/** Reads and sorts single clicks. @param file  their links @throws UnreadableFileError */
export async function readClicks(
  file: ReadExport,
  bytes: AsyncIterable<Uint8Array>,
  { importId, account, options, spill, now }: HistoryReading,
): Promise<History> {
  const { title, clicks: table } = SERVICES[file.format];
  if (!table)
    throw new UnreadableFileError(`${title} exports no single clicks. Import the file of links without them.`);
  const keyOf = clickKeys(file, options, account);
  const clicks = new ClickStore(spill);
  const history = { id: importId, source: file.format, clicks, until: timestamp(now), total: 0 };
  let [unmatched, unreadable] = [0, 0];
  for await (const entry of clickEntries(decoded(bytes), title, table)) {
    const click = "reason" in entry ? null : readClick(entry, table.columns, history.until);
    const key = click && keyOf(click);
    if (click === null) unreadable++;
    else if (key === null) unmatched++;
    else {
      history.total++;
      await clicks.add(key, click.json);
    }
  }
  return { ...history, unmatched, unreadable };
}

type ClickAddress = { domain: string | null; slug: string };

/** Finds the link of a click; null if it is not imported. */
function clickKeys({ links, unit }: ReadExport, options: ImportOptions, account: ImportAccount) {
  const { wanted } = resolveLinks(links, unit, options, account);
  const found = new Map(
    wanted.flatMap((link) => {
      const aliases = link.body.aliases ?? [];
      return [
        [link.key, link] as const,
        ...aliases.map((alias) => [addressKey(alias, account.caseSensitive), link] as const),
      ];
    }),
  );
  return ({ domain, slug }: ClickAddress): string | null => {
    const own = keyOfAddress({ domain, slug }, options, account);
    const link = found.get(own ?? "");
    if (link) return link.key;
    // The file of links may lack the domain that clicks have.
    const other = keyOfAddress({ domain: null, slug }, options, account);
    const elsewhere = found.get(other ?? "");
    return elsewhere?.source.startsWith("/") ? elsewhere.key : null;
  };
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

const CITY_MAX_CHARS = 100;
const REGION_MAX_CHARS = 6;
const REFERRER_MAX_CHARS = 500;

const CLIENTS_MAX = 2_000;

interface ReadClick {
  /** Its link's host name at the other service, in the stored form; null if the file does not contain it. */
  domain: string | null;
  slug: string;
  /** As requests contain it, as JSON. It begins with its time, so clicks sort as texts. */
  json: string;
}

const FIRST_CLICK = timestamp(IMPORTED_SINCE);

/**
 * Reads a single click, using the table of its service (services.ts).
 * @param now  as a timestamp
 * @returns null without an address, or without a possible time
 */
function readClick(fields: Fields, columns: ClickColumns, now: string): ReadClick | null {
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

/** Writes bytes that follow each other. @returns a function that reads the text between two of their positions */
export type Spill = (parts: Uint8Array<ArrayBuffer>[]) => Promise<ReadText>;

type ReadText = (start: number, end: number) => Promise<string>;

/** A run in memory takes a few times as much. */
const RUN_MAX_CHARS = 32 * 1024 * 1024;

interface Run {
  read: ReadText;
  places: Map<string, [start: number, end: number]>;
}

/**
 * The clicks of a file, sorted by link and time. They may exceed memory, so they are written to storage of the front
 * end in runs, from which the clicks of one link are read together.
 * @internal
 */
export class ClickStore {
  /** Number of clicks, by link. */
  readonly counts = new Map<string, number>();
  readonly #spill: Spill;
  readonly #runMaxChars: number;
  readonly #runs: Run[] = [];
  #pending = new Map<string, string[]>();
  #pendingChars = 0;

  constructor(spill: Spill, runMaxChars = RUN_MAX_CHARS) {
    this.#spill = spill;
    this.#runMaxChars = runMaxChars;
  }

  /** @param click  a text without line breaks that begins with its time */
  async add(key: string, click: string): Promise<void> {
    const clicks = this.#pending.get(key);
    if (clicks) clicks.push(click);
    else this.#pending.set(key, [click]);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.#pendingChars += click.length;
    if (this.#pendingChars > this.#runMaxChars) await this.#endRun();
  }

  /** The clicks of a link in order of time; equal times in an order that does not depend on the file's. */
  async clicksOf(key: string): Promise<string[]> {
    const clicks = [...(this.#pending.get(key) ?? [])];
    for (const { read, places } of this.#runs) {
      const place = places.get(key);
      if (place) for (const click of (await read(...place)).split("\n")) clicks.push(click);
    }
    return clicks.sort();
  }

  async #endRun(): Promise<void> {
    const places: Run["places"] = new Map();
    let size = 0;
    const parts = Array.from(this.#pending, ([key, clicks]) => {
      const part = new Uint8Array(new TextEncoder().encode(clicks.join("\n")));
      places.set(key, [size, (size += part.length)]);
      return part;
    });
    this.#runs.push({ read: await this.#spill(parts), places });
    this.#pending = new Map();
    this.#pendingChars = 0;
  }
}
