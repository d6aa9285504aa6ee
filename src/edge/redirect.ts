/**
 * A visit to a short URL: find the link, choose the destination, reply once, record once.
 * The reply never waits for the click to be stored.
 */
import { scanOf } from "../core/qr/token.ts";
import { decide } from "../core/routing.ts";
import { type Geography, RequestVisitor } from "../core/visitor.ts";
import type { FoundLink } from "../store/links.ts";
import type { LinkAddress } from "./address.ts";
import { gonePage, methodPage, missingPage, unavailablePage } from "./pages.ts";
import { record } from "./recorder.ts";
import { type Resolved, resolve } from "./resolve.ts";

/** Answers a visit: at once when the link is at hand, which saves a busy link two turns of the event loop. */
export function redirect(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress | { kind: "nowhere" },
): Response | Promise<Response> {
  try {
    if (request.method !== "GET" && request.method !== "HEAD") return methodPage(request);
    if (address.kind === "nowhere") return missingPage(request);
    const found = resolve(env, ctx, address);
    if (!(found instanceof Promise)) return answerTo(request, env, ctx, address, found);
    const answer = found.then((link) => answerTo(request, env, ctx, address, link));
    return answer.catch((error) => failed(request, error));
  } catch (error) {
    return failed(request, error);
  }
}

function answerTo(request: Request, env: Env, ctx: ExecutionContext, address: LinkAddress, found: Resolved): Response {
  if (found.kind === "missing") return missingPage(request);
  if (found.kind === "unavailable") return unavailablePage(request);
  return visit(request, env, ctx, address, found);
}

function failed(request: Request, error: unknown): Response {
  console.error("redirect failed", error);
  return unavailablePage(request);
}

function visit(request: Request, env: Env, ctx: ExecutionContext, address: LinkAddress, found: FoundLink): Response {
  const { link } = found;
  if (link.state !== "active") return gonePage(request);
  const scan = scanOf(link.qrKey, address.search);
  const visitor = new RequestVisitor(request.headers, geographyOf(request, env), {
    search: scan.search,
    source: scan.qr ? "qr" : "link",
    linkId: link.id,
    at: Date.now(),
  });
  const decision = decide(link, visitor);
  if (decision.kind === "expired") return gonePage(request);
  visitor.qr = scan.qr;
  if (decision.rule >= 0) visitor.rule = String(decision.rule);
  if (request.method === "GET") record(env, ctx, address.name, found, visitor);
  return new Response(null, {
    status: 302,
    headers: { Location: asciiUrl(decision.url), "Cache-Control": "private, no-store" },
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
