/**
 * A visit to a short URL: find the link, choose the destination, reply once, record once.
 * The reply never waits for the click to be stored.
 */
import { clickOf } from "../core/clicks/facts.ts";
import { boundedMemo } from "../core/generation-cache.ts";
import { HSTS_HEADER } from "../core/hosts.ts";
import { readScan } from "../core/qr/token.ts";
import { chooseDestination } from "../core/links/routing.ts";
import { type Geography, RequestVisitor } from "../core/visitors/visitor.ts";
import type { FoundLink } from "../store/links/links-by-address.ts";
import type { LinkAddress, UnmatchedAddress } from "./address.ts";
import { lookUpLandingPages } from "./landing-page-lookup.ts";
import { gonePage, rateLimitedPage, methodNotAllowedPage, notFoundPage, unavailablePage } from "./error-pages.ts";
import { recorder } from "./recorder.ts";
import { type LinkLookup, lookUpLink } from "./link-lookup.ts";

/** Answers a visit: at once when the link is at hand, which saves a busy link two turns of the event loop. */
export function redirect(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress | UnmatchedAddress,
): Response | Promise<Response> {
  try {
    if (request.method !== "GET" && request.method !== "HEAD") return methodNotAllowedPage(request);
    const response =
      address.kind === "nowhere"
        ? respondMissing(request, env, ctx, address)
        : respondToLink(request, env, ctx, address);
    return response instanceof Promise ? response.catch((error) => respondFailed(request, error)) : response;
  } catch (error) {
    return respondFailed(request, error);
  }
}

function respondToLink(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
): Response | Promise<Response> {
  const found = lookUpLink(env, ctx, address, request.headers);
  return found instanceof Promise
    ? found.then((link) => respondToLookup(request, env, ctx, address, link))
    : respondToLookup(request, env, ctx, address, found);
}

/** The page of a customer's domain that stands in, or a 404. Known links never come here. */
function respondMissing(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  { domain, landing }: UnmatchedAddress | LinkAddress,
): Response | Promise<Response> {
  if (landing === null) return notFoundPage(request, env);
  return lookUpLandingPages(env, ctx, domain, request.headers).then((found) => {
    if (found.kind === "limited") return rateLimitedPage(request, found.seconds);
    const url = landing === "root" ? found.landings?.rootUrl : found.landings?.notFoundUrl;
    return url ? redirectResponse(url) : notFoundPage(request, env);
  });
}

function respondToLookup(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  found: LinkLookup,
): Response | Promise<Response> {
  if (found.kind === "missing") return respondMissing(request, env, ctx, address);
  if (found.kind === "unavailable") return unavailablePage(request);
  if (found.kind === "limited") return rateLimitedPage(request, found.seconds);
  return respondFound(request, env, ctx, address, found);
}

function respondFailed(request: Request, error: unknown): Response {
  console.error("redirect failed", error);
  return unavailablePage(request);
}

function respondFound(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  found: FoundLink,
): Response {
  const { link, account } = found;
  if (link.state !== "active" || account !== "open") return gonePage(request, env);
  const scan = readScan(link.qrKey, address.search);
  const visitor = new RequestVisitor(request.headers, geographyOf(request, env), {
    search: scan.search,
    source: scan.qr ? "qr" : "link",
    linkId: link.id,
    at: Date.now(),
  });
  const decision = chooseDestination(link, visitor);
  if (decision.kind === "expired") return gonePage(request, env);
  const click = clickOf(visitor, decision.rule, scan.qr);
  if (request.method === "GET") recorder.record(env, ctx, address.name, found, click);
  const responses = address.hsts ? HSTS_RESPONSES : PLAIN_RESPONSES;
  return decision.url.length <= CACHED_URL_MAX_CHARS
    ? responses.remembered(decision.url)
    : responses.made(decision.url);
}

const RESPONSE_CACHE_MAX_ENTRIES = 500;
const CACHED_URL_MAX_CHARS = 500;

const PLAIN_RESPONSES = responseFactory({});
const HSTS_RESPONSES = responseFactory({ [HSTS_HEADER.name]: HSTS_HEADER.value });

/** A response without a body belongs to no request, so one serves every visitor who is sent to the same place. */
function responseFactory(headers: Record<string, string>) {
  const made = (url: string) => redirectResponse(url, headers);
  return { made, remembered: boundedMemo(RESPONSE_CACHE_MAX_ENTRIES, made) };
}

function redirectResponse(url: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: asciiUrl(url), "Cache-Control": "private, no-store", ...headers },
  });
}

function geographyOf(request: Request, env: Env): Geography {
  const cf = (request.cf ?? {}) as Geography;
  return env.DEV_VISITOR_HEADERS === "1" ? simulatedGeography(request.headers, cf) : cf;
}

/** In development there is no edge to locate visitors: headers stand in for it. Never on in production. */
function simulatedGeography(headers: Headers, cf: Geography): Geography {
  const country = headers.get("x-visitor-country")?.toUpperCase();
  const region = headers.get("x-visitor-region")?.toUpperCase();
  const city = headers.get("x-visitor-city");
  const continent = headers.get("x-visitor-continent")?.toUpperCase() ?? null;
  if (!country && !region && !city && !continent) return cf;
  const [, regionCountry, regionCode] = /^(?:([A-Z]{2})-)?(.+)$/.exec(region ?? "") ?? [];
  return { country: country || (regionCountry ?? null), regionCode: regionCode ?? null, city, continent };
}

/** Headers carry ASCII only; a destination is stored as typed. */
function asciiUrl(url: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII itself
  return /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href;
}
