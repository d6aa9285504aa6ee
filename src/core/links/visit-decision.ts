/**
 * Decides the response to a visit of a short URL from the result of the address look-up. Pure: `src/edge/redirect.ts`
 * does the look-ups, calls this, and responds.
 */
import { clickOf, type NewClick } from "../clicks/facts.ts";
import { LOCATION_MAX_BYTES } from "../limits.ts";
import { readScan } from "../qr/token.ts";
import { RequestVisitor, type VisitorRequest } from "../visitors/visitor.ts";
import type { RedirectContent, SocialCard } from "./link-members.ts";
import { isOpen, type LinkSnapshot } from "./link-snapshot.ts";
import { chooseDestination, metQueryConditions } from "./routing.ts";

/** The default redirect of a short domain that replaces a missing link; null for none. */
export type DefaultRedirectKind = "root" | "not_found" | null;

/** Destinations for visitors of a domain if the path is empty, has no link, or has a link that has expired. */
export interface DefaultRedirects {
  rootUrl: string | null;
  notFoundUrl: string | null;
  expiredUrl: string | null;
}

const DEFAULT_REDIRECT_MEMBERS = {
  root: "rootUrl",
  not_found: "notFoundUrl",
  not_open: "notFoundUrl",
  expired: "expiredUrl",
} as const;

export type DefaultRedirect = keyof typeof DEFAULT_REDIRECT_MEMBERS;

/** `now`: the time of the decision. */
export interface VisitRequest extends VisitorRequest {
  readonly method: string;
  /** Query string of the short URL, without the question mark. */
  readonly search: string;
  readonly defaultRedirect: DefaultRedirectKind;
  /** Whether the visitor has sent the link's password. */
  readonly isUnlocked?: boolean;
  /** What follows the slug in the path, of a link with `forward_path`. */
  readonly rest?: string;
}

interface LinkOfAccount {
  link: LinkSnapshot;
  account: "open" | "suspended" | "closed" | "transferred";
  /** The alias that was visited (core/hosts.ts, `shortAddress`); absent if the visit used the link's own slug. */
  alias?: string;
}

/** Result of looking up an address. `F`: the link, with additional members of the caller. */
export type LinkLookup<F extends LinkOfAccount = LinkOfAccount> =
  | ({ kind: "found" } & F)
  /** No link has this address, or none can. */
  | { kind: "missing" }
  /** Neither the database nor the link's object answered in time. */
  | { kind: "unavailable" }
  /** The visitor's network looked up too many unknown names; `seconds` until the next look-up is allowed. */
  | { kind: "limited"; seconds: number };

/** The default redirects of a domain; null when no account has verified it. */
export type DefaultRedirectsLookup =
  | { kind: "found"; redirects: DefaultRedirects | null }
  | { kind: "limited"; seconds: number };

export interface RedirectDecision {
  kind: "redirect";
  url: string;
  /** The click to record; null for visits that are not counted. */
  click: NewClick | null;
  /** The url contains the visitor's query or path, so its response cannot be shared with other visitors. */
  hasVisitorQuery?: true;
  noindex?: boolean | undefined;
  /** Undefined: 302. */
  status?: number | null | undefined;
}

/** A page. `isPlain`: the domain's settings were looked up, and there are none, or they could not be read. */
type PageDecision = { kind: "gone" | "missing" | "expired" | "not_open"; isPlain?: true };

/** A decision that needs no further look-up. */
export type SettledDecision =
  | RedirectDecision
  /** A page with the link's card, for a program that shows previews of links. `url`: the link's destination. */
  | { kind: "preview"; url: string; card: SocialCard; click: NewClick | null }
  /** `gone`: deleted or disabled, or the account is suspended, closed, or has lost the domain. */
  | PageDecision
  | { kind: "paused" }
  | { kind: "rate_limited"; seconds: number }
  | { kind: "unavailable" }
  | { kind: "method_not_allowed" };

interface DefaultRedirectDecision {
  kind: "default_redirect";
  page: DefaultRedirect;
  /** Of the expired link. */
  noindex?: boolean | undefined;
}

/** A decision without the password of a link. */
export type OpenDecision =
  | SettledDecision
  /** A default redirect may replace the link: the caller looks it up, then calls `decideDefaultRedirect`. */
  | DefaultRedirectDecision;

export type VisitDecision =
  | OpenDecision
  /** The link has a password: the caller asks for it or checks it, then calls `decideVisit` again. */
  | { kind: "password"; link: LinkSnapshot & { password: string } };

export function isReading({ method }: Pick<VisitRequest, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** Whether a request is a visit, which looks its address up. POST sends the password of a link. */
export function isVisit({ method, headers }: Pick<VisitRequest, "method" | "headers">): boolean {
  if (method !== "POST") return isReading({ method });
  return /^application\/x-www-form-urlencoded(?:;|$)/i.test(headers.get("content-type") ?? "");
}

export function decideVisit(request: VisitRequest, lookup: LinkLookup): VisitDecision {
  if (!isVisit(request)) return { kind: "method_not_allowed" };
  const isForm = request.method === "POST";
  switch (lookup.kind) {
    case "found":
      return isForm && !lookup.link.password ? { kind: "method_not_allowed" } : decideFound(request, lookup);
    case "missing":
      return isForm ? { kind: "method_not_allowed" } : decideMissing(request);
    case "limited":
      return { kind: "rate_limited", seconds: lookup.seconds };
    case "unavailable":
      return { kind: "unavailable" };
  }
}

function decideMissing({ defaultRedirect }: VisitRequest): VisitDecision {
  return defaultRedirect === null ? { kind: "missing" } : { kind: "default_redirect", page: defaultRedirect };
}

/** Decides a visit for which a default redirect was looked up. It is not counted, because no link redirects it. */
export function decideDefaultRedirect(
  { page, noindex }: Omit<DefaultRedirectDecision, "kind">,
  lookup: DefaultRedirectsLookup,
): SettledDecision {
  if (lookup.kind === "limited") return { kind: "rate_limited", seconds: lookup.seconds };
  const url = lookup.redirects?.[DEFAULT_REDIRECT_MEMBERS[page]];
  if (url) return { kind: "redirect", url, click: null, noindex };
  return lookup.redirects ? pageInstead(page) : { ...pageInstead(page), isPlain: true };
}

function decideFound(request: VisitRequest, { link, account, alias }: LinkOfAccount): VisitDecision {
  if (!isOpen(link) || account !== "open") return { kind: "gone" };
  if (link.paused) return link.fallbackUrl ? fallbackRedirect(link, link.fallbackUrl) : { kind: "paused" };
  const { method, search, rest } = request;
  const scan = readScan(link.qrKey, search);
  const visitor = new RequestVisitor(request, scan, link.id);
  const chosen = chooseDestination(link, visitor);
  if (chosen.kind !== "redirect") return decideNotOpen(request, link, chosen.kind);
  const { password } = link;
  if (password && !request.isUnlocked) return { kind: "password", link: { ...link, password } };
  // HEAD requests come from link checkers and previews and are not counted.
  const clickBy = (rule: number) =>
    method === "GET" ? clickOf(visitor, rule, scan.qr, metQueryConditions(link, visitor), visitor, alias) : null;
  const destinationOf = (url: string) => withForwarded(link, url, rest, scan.search);
  // The card is the same for all programs, so it leads to `url` whatever the rules say.
  if (link.social && isLinkPreview(visitor, request))
    return { kind: "preview", url: destinationOf(link.url), card: link.social, click: clickBy(NO_RULE) };
  const click = clickBy(chosen.rule);
  const url = destinationOf(chosen.url);
  const decision: RedirectDecision = {
    kind: "redirect",
    url,
    click,
    noindex: link.noindex,
    status: link.redirectStatus,
  };
  if (url !== chosen.url) decision.hasVisitorQuery = true;
  return decision;
}

const NO_RULE = -1;

function isLinkPreview(visitor: RequestVisitor, { headers }: VisitRequest): boolean {
  return visitor.class === "bot" && LINK_PREVIEW_AGENTS.test(headers.get("user-agent") ?? "");
}

/**
 * Decides a visit before the link opens, or after it has expired. It is not counted.
 */
function decideNotOpen(request: VisitRequest, link: LinkSnapshot, kind: "expired" | "not_open"): VisitDecision {
  if (link.fallbackUrl) return fallbackRedirect(link, link.fallbackUrl);
  return request.defaultRedirect === null
    ? pageInstead(kind)
    : { kind: "default_redirect", page: kind, noindex: link.noindex };
}

/** The page of a domain without a default redirect. */
function pageInstead(page: DefaultRedirect): PageDecision {
  return { kind: page === "not_open" || page === "expired" ? page : "missing" };
}

/** A redirect with the default status. It is not counted. */
function fallbackRedirect({ noindex }: LinkSnapshot, url: string): RedirectDecision {
  return { kind: "redirect", url, click: null, noindex };
}

/** The URL of a redirect: a destination as a `Location` header, with the visitor's query. */

/**
 * The `Location` of a redirect. A destination is stored as typed, but a header must contain a URI (RFC 3986). Encodes
 * only characters that a URI cannot contain: nothing is sorted, shortened or decoded.
 *
 * Matches texts with only URI characters, each `%` before two hex digits, and at most one `#`. Linear: no two parts
 * match the same text.
 */
const URI =
  /^[\w\-.~:/?@!$&'()*+,;=]*(?:%[\dA-Fa-f]{2}[\w\-.~:/?@!$&'()*+,;=]*)*(?:#[\w\-.~:/?@!$&'()*+,;=]*(?:%[\dA-Fa-f]{2}[\w\-.~:/?@!$&'()*+,;=]*)*)?$/;

/** A `%` that encodes nothing, or characters that no URI contains. The host keeps the brackets of IPv6. */
const NOT_IN_HOST = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%[\]]+/g;
const NOT_IN_REST = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]+/g;

/** @param url  a destination: absolute, http or https */
export function locationOf(url: string): string {
  return URI.test(url) ? url : encodedLocation(url);
}

function encodedLocation(url: string): string {
  const hostStart = url.indexOf("//") + 2;
  const hostLength = url.slice(hostStart).search(/[/?#\\]/);
  const hostEnd = hostLength < 0 ? url.length : hostStart + hostLength;
  const fragmentStart = url.indexOf("#", hostEnd);
  const restEnd = fragmentStart < 0 ? url.length : fragmentStart;
  const fragment = fragmentStart < 0 ? "" : `#${encode(url.slice(fragmentStart + 1), NOT_IN_REST)}`;
  return asciiOrigin(url.slice(0, hostEnd)) + encode(url.slice(hostEnd, restEnd), NOT_IN_REST) + fragment;
}

/** Converts international host names to A-labels, the only form that DNS has. */
function asciiOrigin(origin: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII itself
  const ascii = /^[\x00-\x7f]*$/.test(origin) ? origin : (URL.parse(origin)?.origin ?? origin);
  return encode(ascii, NOT_IN_HOST);
}

function encode(text: string, illegal: RegExp): string {
  // encodeURIComponent throws on half a surrogate pair.
  return text.toWellFormed().replace(illegal, encodeURIComponent);
}

/** Identifies the scanned code, whether valid or not. */
const QR_PARAMETER = "qr";

/** A `%` that encodes nothing, or characters that no parameter contains. Some servers treat `;` as `&`. */
const NOT_IN_PARAMETER = /%(?![\dA-Fa-f]{2})|[^\w\-.~!$'()*,=:@/?+%]+/g;

/**
 * Adds a visitor's query parameters to a destination, for links with `forward_query`. A visitor can neither replace a
 * parameter of the destination nor leave its query. Linear in both.
 * @param search  of the visit, without the question mark
 * @returns the destination itself if nothing is added
 * @internal
 */
export function withVisitorQuery(destination: string, search: string): string {
  if (search === "") return destination;
  const fragment = destination.indexOf("#");
  const end = fragment < 0 ? destination.length : fragment;
  const start = destination.indexOf("?");
  const hasQuery = start >= 0 && start < end;
  const added = parametersToAdd(hasQuery ? destination.slice(start + 1, end) : "", search);
  if (added === "") return destination;
  const separator = !hasQuery ? "?" : start + 1 === end || destination[end - 1] === "&" ? "" : "&";
  const url = destination.slice(0, end) + separator + added + destination.slice(end);
  return locationOf(url).length > LOCATION_MAX_BYTES ? destination : url;
}

/** A destination with what the link forwards of the visit. @param rest  what follows the slug in the path */
export function withForwarded(
  { forwardQuery }: RedirectContent,
  url: string,
  rest: string | undefined,
  search: string,
): string {
  const path = rest ? withVisitorPath(url, rest) : url;
  return forwardQuery ? withVisitorQuery(path, search) : path;
}

/** A `%` that encodes nothing, or characters that no path contains. */
const NOT_IN_PATH = /%(?![\dA-Fa-f]{2})|[^\w\-.~!$&'()*,;=:@/+%]+/g;

/**
 * Appends what a visitor added to the path, for links with `forward_path`. It has no dot segments, so it cannot leave the
 * destination's path.
 * @param rest  begins with a slash
 * @returns the destination itself if `Location` would be too long
 * @internal
 */
export function withVisitorPath(destination: string, rest: string): string {
  const end = destination.search(/[?#]|$/);
  const path = destination.slice(0, end).replace(/\/$/, "");
  const url = path + rest.toWellFormed().replace(NOT_IN_PATH, encodeURIComponent) + destination.slice(end);
  return locationOf(url).length > LOCATION_MAX_BYTES ? destination : url;
}

/** The visitor's parameters as sent, joined. */
function parametersToAdd(own: string, search: string): string {
  const taken = new Set([...namesOf(own), QR_PARAMETER]);
  const names = namesOf(search);
  const added = partsOf(search).filter((_, i) => !taken.has(names[i] ?? ""));
  return added.map((part) => part.toWellFormed().replace(NOT_IN_PARAMETER, encodeURIComponent)).join("&");
}

function partsOf(search: string): string[] {
  return search.split("&").filter((part) => part !== "");
}

/**
 * The decoded name of each part. The leading `&` keeps URLSearchParams from dropping a question mark from the first
 * name.
 */
function namesOf(search: string): string[] {
  return [...new URLSearchParams(`&${search}`).keys()];
}

/**
 * Programs that fetch a shared link to show a card for it. A list of names instead of bot detection: search engines and
 * AI crawlers must be redirected like people. Callers require a declared bot (declared-bots.ts) as well, so that no
 * browser inside an app matches.
 */
const LINK_PREVIEW_AGENTS =
  /facebookexternalhit|facebot|twitterbot|linkedinbot|slackbot-linkexpanding|discordbot|^whatsapp\/|telegrambot|skypeuripreview|microsoftpreview|redditbot|pinterestbot|snap url preview|vkshare|^viber|mastodon\/|bluesky cardyb|iframely|embedly|mattermost-bot|synapse \(bot/i;
