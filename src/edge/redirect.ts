/**
 * A visit to a short URL: find the link, choose the destination, reply once, record once.
 * The reply never waits for the click to be stored.
 */
import { boundedMemo } from "../core/generation-cache.ts";
import { HSTS } from "../core/hosts.ts";
import { scanOf } from "../core/qr/token.ts";
import { decide } from "../core/routing.ts";
import { type Geography, RequestVisitor } from "../core/visitor.ts";
import type { FoundLink } from "../store/links.ts";
import type { LinkAddress, NoAddress } from "./address.ts";
import { findLanding } from "./landing.ts";
import { gonePage, limitedPage, methodPage, missingPage, unavailablePage } from "./pages.ts";
import { recorder } from "./recorder.ts";
import { type Resolved, resolve } from "./resolve.ts";

/** Answers a visit: at once when the link is at hand, which saves a busy link two turns of the event loop. */
export function redirect(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress | NoAddress,
): Response | Promise<Response> {
  try {
    if (request.method !== "GET" && request.method !== "HEAD") return methodPage(request);
    const reply = address.kind === "nowhere" ? missing(request, env, ctx, address) : follow(request, env, ctx, address);
    return reply instanceof Promise ? reply.catch((error) => failed(request, error)) : reply;
  } catch (error) {
    return failed(request, error);
  }
}

function follow(request: Request, env: Env, ctx: ExecutionContext, address: LinkAddress): Response | Promise<Response> {
  const found = resolve(env, ctx, address, request.headers);
  return found instanceof Promise
    ? found.then((link) => answerTo(request, env, ctx, address, link))
    : answerTo(request, env, ctx, address, found);
}

/** The page of a customer's domain that stands in, or a 404. Known links never come here. */
function missing(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  { domain, landing }: NoAddress | LinkAddress,
): Response | Promise<Response> {
  if (landing === null) return missingPage(request, env);
  return findLanding(env, ctx, domain, request.headers).then((found) => {
    if (found.kind === "limited") return limitedPage(request, found.seconds);
    const url = landing === "root" ? found.landings?.rootUrl : found.landings?.notFoundUrl;
    return url ? answer(url) : missingPage(request, env);
  });
}

function answerTo(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  found: Resolved,
): Response | Promise<Response> {
  if (found.kind === "missing") return missing(request, env, ctx, address);
  if (found.kind === "unavailable") return unavailablePage(request);
  if (found.kind === "limited") return limitedPage(request, found.seconds);
  return visit(request, env, ctx, address, found);
}

function failed(request: Request, error: unknown): Response {
  console.error("redirect failed", error);
  return unavailablePage(request);
}

function visit(request: Request, env: Env, ctx: ExecutionContext, address: LinkAddress, found: FoundLink): Response {
  const { link, account } = found;
  if (link.state !== "active" || account !== "open") return gonePage(request, env);
  const scan = scanOf(link.qrKey, address.search);
  const visitor = new RequestVisitor(request.headers, geographyOf(request, env), {
    search: scan.search,
    source: scan.qr ? "qr" : "link",
    linkId: link.id,
    at: Date.now(),
  });
  const decision = decide(link, visitor);
  if (decision.kind === "expired") return gonePage(request, env);
  visitor.qr = scan.qr;
  if (decision.rule >= 0) visitor.rule = String(decision.rule);
  if (request.method === "GET") recorder.record(env, ctx, address.name, found, visitor);
  const reply = address.hsts ? SECURE : PLAIN;
  return decision.url.length <= REMEMBERED_MAX_CHARS ? reply.remembered(decision.url) : reply.made(decision.url);
}

const REMEMBERED = 500;
const REMEMBERED_MAX_CHARS = 500;

const PLAIN = replies({});
const SECURE = replies({ [HSTS.name]: HSTS.value });

/** A response without a body belongs to no request, so one serves every visitor who is sent to the same place. */
function replies(headers: Record<string, string>) {
  const made = (url: string) => answer(url, headers);
  return { made, remembered: boundedMemo(REMEMBERED, made) };
}

function answer(url: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: asciiUrl(url), "Cache-Control": "private, no-store", ...headers },
  });
}

function geographyOf(request: Request, env: Env): Geography {
  const cf = (request.cf ?? {}) as Geography;
  return env.DEV_VISITOR_HEADERS === "1" ? pretended(request.headers, cf) : cf;
}

/** In development there is no edge to locate visitors: headers stand in for it. Never on in production. */
function pretended(headers: Headers, cf: Geography): Geography {
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
