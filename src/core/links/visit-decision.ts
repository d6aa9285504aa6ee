/**
 * Decides the response to a visit of a short URL from what was found at its address. Pure: `src/edge/redirect.ts` does
 * the look-ups, calls this, and responds.
 */
import { clickOf, type NewClick } from "../clicks/facts.ts";
import { readScan } from "../qr/token.ts";
import { RequestVisitor, type VisitorRequest } from "../visitors/visitor.ts";
import { withVisitorQuery } from "./destination-url.ts";
import type { LinkSnapshot } from "./link-snapshot.ts";
import { metQueryConditions } from "./query-conditions.ts";
import { chooseDestination } from "./routing.ts";

/** The landing page of a custom domain that replaces a missing link; null where there is none. */
export type LandingPageKind = "root" | "not_found" | null;

/** `now`: the time of the decision. */
export interface VisitRequest extends VisitorRequest {
  readonly method: string;
  /** Query string of the short URL, without the question mark. */
  readonly search: string;
  readonly landing: LandingPageKind;
}

interface LinkOfAccount {
  link: LinkSnapshot;
  account: "open" | "suspended" | "closed" | "transferred";
}

/** Result of looking up an address. `F`: the link, with the members that the caller adds. */
export type LinkLookup<F extends LinkOfAccount = LinkOfAccount> =
  | ({ kind: "found" } & F)
  /** No link has this address, or none can. */
  | { kind: "missing" }
  /** Neither the database nor the link's object answered in time. */
  | { kind: "unavailable" }
  /** The visitor's network looked up too many unknown names; `seconds` until the next one is allowed. */
  | { kind: "limited"; seconds: number };

/** The landing pages of a domain; null when no account has verified it. */
export type LandingPagesLookup =
  | { kind: "found"; landings: { rootUrl: string | null; notFoundUrl: string | null } | null }
  | { kind: "limited"; seconds: number };

/** A final decision. */
export type SettledDecision =
  /** `click`: to be recorded; null for visits that are not counted. */
  | {
      kind: "redirect";
      url: string;
      click: NewClick | null;
      /** The url contains the visitor's query, so no other visitor is sent to it. */
      hasVisitorQuery?: true;
    }
  /** Ended: expired, deleted, disabled, or its account is suspended, closed, or has lost the domain. */
  | { kind: "gone" }
  | { kind: "missing" }
  | { kind: "rate_limited"; seconds: number }
  | { kind: "unavailable" }
  | { kind: "method_not_allowed" };

export type VisitDecision =
  | SettledDecision
  /** A landing page may replace the link: the caller looks it up, then calls `decideLanding`. */
  | { kind: "landing"; page: "root" | "not_found" };

/** Whether a request with this method is a visit, and so looks its address up. */
export function isVisitMethod(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

export function decideVisit(request: VisitRequest, lookup: LinkLookup): VisitDecision {
  if (!isVisitMethod(request.method)) return { kind: "method_not_allowed" };
  switch (lookup.kind) {
    case "found":
      return decideFound(request, lookup);
    case "missing":
      return decideMissing(request);
    case "limited":
      return { kind: "rate_limited", seconds: lookup.seconds };
    case "unavailable":
      return { kind: "unavailable" };
  }
}

function decideMissing({ landing }: VisitRequest): VisitDecision {
  return landing === null ? { kind: "missing" } : { kind: "landing", page: landing };
}

/** Decides a visit for which a landing page was looked up. It is not counted, because it belongs to no link. */
export function decideLanding(page: "root" | "not_found", lookup: LandingPagesLookup): SettledDecision {
  if (lookup.kind === "limited") return { kind: "rate_limited", seconds: lookup.seconds };
  const url = page === "root" ? lookup.landings?.rootUrl : lookup.landings?.notFoundUrl;
  return url ? { kind: "redirect", url, click: null } : { kind: "missing" };
}

function decideFound(request: VisitRequest, { link, account }: LinkOfAccount): VisitDecision {
  if (link.state !== "active" || account !== "open") return { kind: "gone" };
  const { method, search } = request;
  const scan = readScan(link.qrKey, search);
  const visitor = new RequestVisitor(request, scan, link.id);
  const chosen = chooseDestination(link, visitor);
  if (chosen.kind !== "redirect") return decideNotOpen(request, link, chosen.kind);
  // HEAD requests come from link checkers and previews and are not counted.
  const click =
    method === "GET" ? clickOf(visitor, chosen.rule, scan.qr, metQueryConditions(link, visitor), visitor) : null;
  const url = link.forwardQuery ? withVisitorQuery(chosen.url, scan.search) : chosen.url;
  return url === chosen.url
    ? { kind: "redirect", url, click }
    : { kind: "redirect", url, click, hasVisitorQuery: true };
}

/**
 * A visit before the link opens, or after it has expired. It is not counted. Until it opens, a link without a fallback
 * is like one that does not exist.
 */
function decideNotOpen(
  request: VisitRequest,
  { fallbackUrl }: LinkSnapshot,
  kind: "expired" | "not_open",
): VisitDecision {
  if (fallbackUrl) return { kind: "redirect", url: fallbackUrl, click: null };
  return kind === "expired" ? { kind: "gone" } : decideMissing(request);
}
