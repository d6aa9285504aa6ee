/**
 * A visit to a short URL: look up the link, decide (src/core/links/visit-decision.ts), respond once, record once.
 * The response never waits for the click to be stored.
 */
import { boundedMemo } from "../core/memory/caches.ts";
import { ownDefaultRedirects, hostsOf } from "../core/deployment/settings.ts";
import type { WellKnownFile } from "../core/domains/well-known-files.ts";
import { HSTS_HEADER, isCustomDomain } from "../core/hosts.ts";
import {
  locationOf,
  decideDefaultRedirect,
  decideVisit,
  isReading,
  isVisit,
  type DefaultRedirect,
  type DefaultRedirectsLookup,
  type LinkLookup,
  type OpenDecision,
  type RedirectDecision,
  type SettledDecision,
  type VisitRequest,
} from "../core/links/visit-decision.ts";
import { addressObjectName } from "../core/links/link-snapshot.ts";
import type { Geography } from "../core/visitors/visitor.ts";
import type { FoundLink } from "../store/links/link-rows.ts";
import { count } from "../store/metrics/isolate-metrics.ts";
import { type LinkAddress, linkNameAt, restOf, type UnmatchedAddress } from "./address.ts";
import { lookUpDefaultRedirects } from "./domain-lookup.ts";
import { lookUpLink } from "./link-lookup.ts";
import { recorder } from "./recorder.ts";

/**
 * Data of a visit before its link is looked up. Request data is read once: each read crosses from JavaScript into the
 * runtime, which takes longer than most of a redirect's code.
 */
interface Visit extends VisitRequest {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly address: LinkAddress | UnmatchedAddress;
}

/** Responds synchronously if the link is cached, which saves a busy link two turns of the event loop. */
export function redirect(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress | UnmatchedAddress,
): Response | Promise<Response> {
  try {
    const response = respond(visitOf(request, env, ctx, address));
    if (!(response instanceof Promise)) return response;
    return response.catch((error) => respondFailed({ request, env, ctx, address }, error));
  } catch (error) {
    return respondFailed({ request, env, ctx, address }, error);
  }
}

const MISSING = { kind: "missing" } as const;

function visitOf(request: Request, env: Env, ctx: ExecutionContext, address: LinkAddress | UnmatchedAddress): Visit {
  return {
    request,
    env,
    ctx,
    address,
    method: request.method,
    headers: request.headers,
    geography: geographyOf(request, env),
    search: address.kind === "link" ? address.search : "",
    defaultRedirect: address.defaultRedirect,
    now: Date.now(),
  };
}

function respond(visit: Visit): Response | Promise<Response> {
  const { headers, env, ctx, address, now } = visit;
  if (address.kind === "no_link" || !isVisit(visit)) return respondToLookup(visit, MISSING);
  const lookup = lookUpLink(env, ctx, address, headers, now);
  return lookup instanceof Promise
    ? lookup.then((found) => respondToLookup({ ...visit, now: Date.now() }, found))
    : respondToLookup(visit, lookup);
}

function respondToLookup(visit: Visit, lookup: LinkLookup<FoundLink>): Response | Promise<Response> {
  const { geography, env, ctx, address } = visit;
  const rest = lookup.kind === "found" && address.kind === "link" ? restOf(address, lookup) : "";
  if (rest === "" && lookup.kind === "found" && address.kind === "link" && address.isPeek) {
    if (!isReading(visit)) return responseTo(visit, { kind: "method_not_allowed" });
    const respondAt = (other: Visit["address"]) => respond({ ...visit, now: Date.now(), address: other });
    return import("./peek-page.ts").then((page) =>
      page.respondToPeek({ ...visit, address }, lookup, settle, responseTo, respondAt),
    );
  }
  if (lookup.kind === "missing" && address.file !== null && isReading(visit)) {
    return respondWithFile(visit, address.file);
  }
  const decision = decideVisit(rest === "" ? visit : { ...visit, rest }, lookup);
  if (decision.kind === "default_redirect")
    return settle(visit, decision).then((settled) => responseTo(visit, settled));
  if (decision.kind === "password") {
    // A form that unlocks the link continues as the visit that it stands for.
    const open = () =>
      respondToLookup(
        { ...visit, method: visit.method === "POST" ? "GET" : visit.method, now: Date.now(), isUnlocked: true },
        lookup,
      );
    return import("./protected-link.ts").then((link) =>
      link.respondToProtected({ ...visit, rest }, decision.link, open),
    );
  }
  if ("click" in decision && decision.click && lookup.kind === "found" && address.kind === "link") {
    const { link, via } = lookup;
    const name = via ? addressObjectName(link.domain, link.slug) : linkNameAt(address, lookup);
    recorder.record(env, ctx, name, lookup, decision.click, geography);
  }
  return responseTo(visit, decision);
}

/** Responds like an unknown slug if the domain does not have the file. */
async function respondWithFile(visit: Visit, file: WellKnownFile): Promise<Response> {
  const { request, env, ctx, address } = visit;
  const files = await import("./well-known-files.ts");
  const response = await files.respondWithFile(request, env, ctx, address.host, file);
  return response ?? respondToLookup({ ...visit, address: { ...address, file: null } }, MISSING);
}

async function settle(visit: Visit, decision: OpenDecision): Promise<SettledDecision> {
  if (decision.kind !== "default_redirect") return decision;
  return decideDefaultRedirect(decision, await defaultRedirectsOf(visit, decision.page));
}

const NO_PAGES = { kind: "found", redirects: null } as const;

/**
 * A closed link answers 410 or 404 rather than 503 while the database is down, and is never limited: its domain is known.
 * @throws UnavailableError
 */
async function defaultRedirectsOf(
  { request, env, ctx, address: { host }, headers }: Visit,
  page: DefaultRedirect,
): Promise<DefaultRedirectsLookup> {
  const hosts = hostsOf(env, request.url);
  if (!isCustomDomain(host, hosts)) return { kind: "found", redirects: ownDefaultRedirects(env, hosts) };
  if (page === "root" || page === "not_found") return lookUpDefaultRedirects(env, ctx, host, headers);
  return lookUpDefaultRedirects(env, ctx, host, null).catch(() => NO_PAGES);
}

/** What a response depends on besides the decision. */
type AnsweredVisit = Pick<Visit, "request" | "env" | "ctx" | "address">;

function responseTo(visit: AnsweredVisit, decision: SettledDecision): Response | Promise<Response> {
  const { request, address } = visit;
  switch (decision.kind) {
    case "redirect":
      return redirectResponse(decision, address.kind === "link" && address.hsts);
    case "preview":
      return import("./preview-page.ts").then((page) => page.previewPage(request.url, decision));
    default:
      if (decision.kind === "unavailable") count("unavailable");
      return import("./error-pages.ts").then((pages) => pages.errorPage(visit, decision));
  }
}

function respondFailed(visit: AnsweredVisit, error: unknown): Response | Promise<Response> {
  console.error("redirect failed", error);
  return responseTo(visit, { kind: "unavailable" });
}

const RESPONSE_CACHE_MAX_ENTRIES = 500;
const CACHED_URL_MAX_CHARS = 500;
const HSTS_HEADERS = { [HSTS_HEADER.name]: HSTS_HEADER.value };
const NOINDEX_HEADERS = { "X-Robots-Tag": "noindex" };

/** A response without a body is not bound to a request, so all redirects to the same URL share one. */
const plainResponse = boundedMemo(RESPONSE_CACHE_MAX_ENTRIES, (url) => newRedirectResponse(url, {}));
const hstsResponse = boundedMemo(RESPONSE_CACHE_MAX_ENTRIES, (url) => newRedirectResponse(url, HSTS_HEADERS));

function redirectResponse({ url, hasVisitorQuery, noindex, status }: RedirectDecision, hsts: boolean): Response {
  if (status || noindex || hasVisitorQuery || url.length > CACHED_URL_MAX_CHARS) {
    return newRedirectResponse(url, { ...(hsts && HSTS_HEADERS), ...(noindex && NOINDEX_HEADERS) }, status ?? 302);
  }
  return hsts ? hstsResponse(url) : plainResponse(url);
}

function newRedirectResponse(url: string, headers: Record<string, string>, status = 302): Response {
  return new Response(null, {
    status,
    headers: { Location: locationOf(url), "Cache-Control": "private, no-store", ...headers },
  });
}

function geographyOf(request: Request, env: Env): Geography {
  const cf = (request.cf ?? {}) as Geography;
  return env.DEV_VISITOR_HEADERS === "1" ? simulatedGeography(request.headers, cf) : cf;
}

/**
 * Simulates the geography of Cloudflare's edge with headers in development, where requests carry none. Never enabled in
 * production.
 */
function simulatedGeography(headers: Headers, cf: Geography): Geography {
  const country = headers.get("x-visitor-country")?.toUpperCase();
  const region = headers.get("x-visitor-region")?.toUpperCase();
  const city = headers.get("x-visitor-city");
  const continent = headers.get("x-visitor-continent")?.toUpperCase() ?? null;
  if (!country && !region && !city && !continent) return cf;
  const [, regionCountry, regionCode] = /^(?:([A-Z]{2})-)?(.+)$/.exec(region ?? "") ?? [];
  return { country: country || (regionCountry ?? null), regionCode: regionCode ?? null, city, continent };
}
