/**
 * The facts of a visit that rules test and clicks store, read from the headers and from the edge's geography. Client
 * hints take precedence over the User-Agent. A fact that the request does not carry is null; nothing is inferred. Pure.
 * Address and User-Agent are used for the visitor's place in a split, of which 16 bits are stored, and for the
 * visitor's hash of the day; they are never stored themselves.
 */
import { type UtmFacts, utmFactsOf } from "./utm.ts";
import type { VisitFacts } from "../clicks/facts.ts";
import { keepHiddenClass } from "../hidden-classes.ts";
import { parseUrl } from "../hosts.ts";
import { textMemo } from "../memory/caches.ts";
import type { Scan } from "../qr/token.ts";
import { isDeclaredBot } from "./declared-bots.ts";
import { type Browser, canonicalLanguage, type ClickClass, type Device, type Os, withoutWww } from "./fact-values.ts";
import { splitOf, splitPercent, UNKNOWN_SPLIT } from "./split.ts";
import { detectClient } from "./user-agent.ts";
import { userAgentDigest, type VisitorIdentity } from "./visitor-hashes.ts";

/** The facts that rules test. Null is "not known": it meets no condition, and therefore meets the `not` of any. */
export interface Visitor extends UtmFacts {
  /** ISO 3166-1 alpha-2; `XX` when unknown, `T1` for Tor. */
  readonly country: string;
  readonly continent: string | null;
  /** ISO 3166-2, such as `US-TX`. */
  readonly region: string | null;
  readonly city: string | null;
  readonly device: Device;
  readonly os: Os;
  readonly browser: Browser;
  /** The preferred tag of `Accept-Language` in canonical form, such as `de-CH`. */
  readonly language: string | null;
  /** Lower-case host without `www.`, or `app:<package>`; null if none was sent. */
  readonly referrer: string | null;
  readonly source: "link" | "qr";
  readonly query: QueryParameters;
  /** Time of the visit, epoch ms. */
  readonly at: number;
  /** The visitor's position in a split, at least 0 and below 100; the same at every visit to one link. */
  readonly splitPoint: number | null;
}

/** Parameters of the short URL's query string: each name with its distinct values. */
export type QueryParameters = ReadonlyMap<string, ReadonlySet<string>>;

/** Geography as Cloudflare's edge reports it (`request.cf`). */
export interface Geography {
  country?: string | null;
  continent?: string | null;
  regionCode?: string | null;
  city?: string | null;
  /** Degrees. */
  longitude?: string | null;
}

/** The request of a visit. */
export interface VisitorRequest {
  readonly headers: Headers;
  readonly geography: Geography;
  /** Time of the visit, epoch ms. */
  readonly now: number;
}

/** Longest part of a header value that is read; real ones are far shorter. */
export const HEADER_MAX_CHARS = 512;

const MEMO_MAX_ENTRIES = 2_000;

const CITY_MAX_CHARS = 100;

const IPV6_GROUPS = 8;

const NETWORK_GROUPS = 4;

const UNKNOWN_COUNTRY = "XX";

/**
 * The facts of a request. Costly facts that few rules need are computed on first use. Request data is not copied: each
 * visit creates one of these, and filling memory costs a visit as much as running code.
 */
export class RequestVisitor implements Visitor, VisitFacts, VisitorIdentity {
  readonly country: string;
  readonly continent: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly device: Device;
  readonly os: Os;
  readonly browser: Browser;
  readonly language: string | null;
  readonly referrer: string | null;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly class: ClickClass;
  readonly #request: VisitorRequest;
  readonly #scan: Scan;
  readonly #linkId: string;
  readonly #client: Client;
  #query: QueryParameters | undefined;
  #split: number | undefined;
  #network: string | null | undefined;

  /** @param linkId  of the visited link */
  constructor(request: VisitorRequest, scan: Scan, linkId: string) {
    const { headers, geography } = request;
    this.#request = request;
    this.#scan = scan;
    this.#linkId = linkId;
    const client = cachedClient((boundedHeader(headers, "user-agent") ?? "") + clientHintLines(headers));
    this.#client = client;
    this.device = client.device;
    this.os = client.os;
    this.browser = client.browser;
    this.class = client.bot ? "bot" : isPrefetch(headers) ? "prefetch" : "human";
    const acceptLanguage = boundedHeader(headers, "accept-language");
    this.language = acceptLanguage === null ? null : preferredLanguage(acceptLanguage);
    const referer = boundedHeader(headers, "referer");
    this.referrer = referer === null ? null : parseReferrer(referer);
    const utm = utmFactsOf(scan.search);
    this.utm_source = utm.utm_source;
    this.utm_medium = utm.utm_medium;
    this.utm_campaign = utm.utm_campaign;
    this.utm_term = utm.utm_term;
    this.utm_content = utm.utm_content;
    this.country = geography.country || UNKNOWN_COUNTRY;
    this.continent = geography.continent || null;
    this.region = geography.regionCode ? `${this.country}-${geography.regionCode}` : null;
    this.city = geography.city ? geography.city.slice(0, CITY_MAX_CHARS) : null;
  }

  get at(): number {
    return this.#request.now;
  }

  get source(): "link" | "qr" {
    return this.#scan.qr === null ? "link" : "qr";
  }

  get userAgentDigest(): number {
    return this.#client.digest;
  }

  /** Parsed on first use and cached: up to 100 rules read it several times each. */
  get query(): QueryParameters {
    return (this.#query ??= parseQuery(this.#scan.search));
  }

  get network(): string | null {
    if (this.#network === undefined) this.#network = networkOf(this.#request.headers);
    return this.#network;
  }

  get split(): number {
    if (this.#split === undefined) {
      const { network } = this;
      this.#split = network === null ? UNKNOWN_SPLIT : splitOf(this.#linkId, network, this.userAgentDigest);
    }
    return this.#split;
  }

  get splitPoint(): number | null {
    return splitPercent(this.split);
  }
}

/**
 * The visitor's IPv4 address, or /64 network for IPv6, within which privacy extensions change the address daily; null
 * if the edge reports none. Must not be stored or logged.
 */
export function networkOf(headers: Headers): string | null {
  const ip = headers.get("cf-connecting-ip");
  return ip?.includes(":") ? network64(ip) : ip;
}

/** Expands `::`, so that all spellings of a network give the same text. */
function network64(ip: string): string {
  const [before = "", after] = ip.toLowerCase().split("::", 2);
  const groups = before.split(":");
  const behind = after?.split(":") ?? [];
  while (groups.length + behind.length < IPV6_GROUPS) groups.push("0");
  return [...groups, ...behind]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, "") || "0")
    .join(":");
}

export function parseQuery(search: string): QueryParameters {
  const query = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = query.get(name);
    if (values) values.add(value);
    else query.set(name, new Set([value]));
  }
  return query;
}

function boundedHeader(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value && value.length > HEADER_MAX_CHARS ? value.slice(0, HEADER_MAX_CHARS) : value;
}

/** The client hints, one per line; "" without `Sec-CH-UA`, which every browser with hints sends. */
function clientHintLines(headers: Headers): string {
  const brands = boundedHeader(headers, "sec-ch-ua");
  if (brands === null) return "";
  return `\n${boundedHeader(headers, "sec-ch-ua-mobile") ?? ""}\n${boundedHeader(headers, "sec-ch-ua-platform") ?? ""}\n${brands}`;
}

/** The facts from User-Agent and client hints. */
interface Client {
  device: Device;
  os: Os;
  browser: Browser;
  bot: boolean;
  /** Digest of the User-Agent. */
  digest: number;
}

/** Millions of visitors share a User-Agent, so each distinct one is parsed once. */
const cachedClient = textMemo(MEMO_MAX_ENTRIES, (key): Client => {
  const [userAgent = "", mobile = "", platform = "", brands = ""] = key.split("\n");
  const hints = { mobile: mobile || null, platform: platform || null, brands: brands || null };
  return { ...detectClient(userAgent, hints), bot: isDeclaredBot(userAgent), digest: userAgentDigest(userAgent) };
});

/**
 * Headers of prefetches: `Sec-Purpose` (Fetch standard), `Purpose` (older Chromium, Safari), `X-Moz` (older Firefox).
 */
function isPrefetch(headers: Headers): boolean {
  return saysPrefetch(headers, "sec-purpose") || saysPrefetch(headers, "purpose") || saysPrefetch(headers, "x-moz");
}

function saysPrefetch(headers: Headers, name: string): boolean {
  const purpose = headers.get(name);
  return purpose !== null && purpose.toLowerCase().includes("prefetch");
}

/** The tag with the highest q of an Accept-Language header, the first if several are equal; null if none is usable. */
export const preferredLanguage: (acceptLanguage: string) => string | null = textMemo(MEMO_MAX_ENTRIES, (value) => {
  let best: string | null = null;
  let bestQ = 0;
  for (const item of value.split(",")) {
    const [tag = "", ...parameters] = item.split(";").map((part) => part.trim());
    const q = qualityOf(parameters);
    if (q <= bestQ) continue;
    const canonical = canonicalLanguage(tag);
    if (canonical) [best, bestQ] = [canonical, q];
  }
  return best;
});

function qualityOf(parameters: string[]): number {
  const q = parameters.find((parameter) => /^q=/i.test(parameter));
  if (q === undefined) return 1;
  const value = Number(q.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}

/** The host of a Referer header, in the stored and matched form. Android apps send `android-app://<package>/`. */
export const parseReferrer: (referer: string) => string | null = textMemo(MEMO_MAX_ENTRIES, (value) => {
  const app = /^android-app:\/\/([A-Za-z0-9._]{1,200})/.exec(value)?.[1];
  if (app) return `app:${app}`;
  const url = parseUrl(value);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return null;
  return url.hostname.length <= 253 ? withoutWww(url.hostname) : null;
});

keepHiddenClass(new RequestVisitor({ headers: new Headers(), geography: {}, now: 0 }, { qr: null, search: "" }, ""));
