/**
 * Decides what a visit to a short URL is answered with, from what was found at its address. Pure: the edge looks up,
 * asks here, and acts (src/edge/redirect.ts).
 */
import { clickOf, type NewClick } from "../clicks/facts.ts";
import { readScan } from "../qr/token.ts";
import { type Geography, RequestVisitor } from "../visitors/visitor.ts";
import type { LinkSnapshot } from "./link-snapshot.ts";
import { chooseDestination } from "./routing.ts";

/** Page of a custom domain that stands in for a link that does not exist; null where there is none. */
export type LandingPageKind = "root" | "not_found" | null;

export interface VisitRequest {
  method: string;
  headers: Headers;
  geography: Geography;
  /** Query string of the short URL, without the question mark. */
  search: string;
  landing: LandingPageKind;
  /** When the destination is chosen, epoch ms. */
  now: number;
}

interface LinkOfAccount {
  link: LinkSnapshot;
  account: "open" | "suspended" | "closed";
}

/** What was found at an address. `F`: the link, with what its caller needs besides. */
export type LinkLookup<F extends LinkOfAccount = LinkOfAccount> =
  | ({ kind: "found" } & F)
  /** No link has this address, or none can have it. */
  | { kind: "missing" }
  /** Neither the database nor the link's object answered. */
  | { kind: "unavailable" }
  /** The visitor has had too many unknown names looked up; `seconds` until the next may be. */
  | { kind: "limited"; seconds: number };

/** The pages of a domain; null when no account has verified it. */
export type LandingPagesLookup =
  | { kind: "found"; landings: { rootUrl: string | null; notFoundUrl: string | null } | null }
  | { kind: "limited"; seconds: number };

/** A decision that the visit can be answered with. */
export type SettledDecision =
  /** `click`: to be recorded; null for visits that are not counted. */
  | { kind: "redirect"; url: string; click: NewClick | null }
  /** Ended: expired, deleted, disabled, or its account is suspended or closed. */
  | { kind: "gone" }
  | { kind: "missing" }
  | { kind: "rate_limited"; seconds: number }
  | { kind: "unavailable" }
  | { kind: "method_not_allowed" };

export type VisitDecision =
  | SettledDecision
  /** A page of the domain may stand in for the link: it is looked up, then `decideLanding` decides. */
  | { kind: "landing"; page: "root" | "not_found" };

/** Whether an address is looked up at all. */
export function isVisitMethod(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

export function decideVisit(request: VisitRequest, lookup: LinkLookup): VisitDecision {
  if (!isVisitMethod(request.method)) return { kind: "method_not_allowed" };
  switch (lookup.kind) {
    case "found":
      return decideFound(request, lookup);
    case "missing":
      return request.landing === null ? { kind: "missing" } : { kind: "landing", page: request.landing };
    case "limited":
      return { kind: "rate_limited", seconds: lookup.seconds };
    case "unavailable":
      return { kind: "unavailable" };
  }
}

/** Visits of a landing page are not counted: they are of no link. */
export function decideLanding(page: "root" | "not_found", lookup: LandingPagesLookup): SettledDecision {
  if (lookup.kind === "limited") return { kind: "rate_limited", seconds: lookup.seconds };
  const url = page === "root" ? lookup.landings?.rootUrl : lookup.landings?.notFoundUrl;
  return url ? { kind: "redirect", url, click: null } : { kind: "missing" };
}

function decideFound({ method, headers, geography, search, now }: VisitRequest, found: LinkOfAccount): SettledDecision {
  const { link, account } = found;
  if (link.state !== "active" || account !== "open") return { kind: "gone" };
  const scan = readScan(link.qrKey, search);
  const source = scan.qr ? "qr" : "link";
  const visitor = new RequestVisitor(headers, geography, { search: scan.search, source, linkId: link.id, at: now });
  const chosen = chooseDestination(link, visitor);
  if (chosen.kind === "expired") return { kind: "gone" };
  // HEAD requests come from link checkers and previews.
  const click = method === "GET" ? clickOf(visitor, chosen.rule, scan.qr) : null;
  return { kind: "redirect", url: chosen.url, click };
}
