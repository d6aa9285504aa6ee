/**
 * A visit to a short URL: find the link, choose the destination, reply once, record once.
 * The reply never waits for the click to be stored.
 */
import type { Click } from "../core/click-batch.ts";
import type { Door } from "../core/hosts.ts";
import type { LinkSnapshot } from "../core/link-snapshot.ts";
import { decide } from "../core/routing.ts";
import { type Geography, RequestVisitor } from "../core/visitor.ts";
import { gonePage, methodPage, missingPage, unavailablePage } from "./pages.ts";
import { record } from "./recorder.ts";
import { resolve } from "./resolve.ts";

type VisitorDoor = Extract<Door, { kind: "visitor" }>;

export async function redirect(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  door: VisitorDoor,
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") return methodPage(request);
  const slug = slugOf(door.slug);
  if (slug === null) return missingPage(request);
  const found = await resolve(env, ctx, door.domain, slug);
  if (found.kind === "missing") return missingPage(request);
  if (found.kind === "unavailable") return unavailablePage(request);
  return visit(request, env, ctx, found.link, door.search);
}

function visit(request: Request, env: Env, ctx: ExecutionContext, link: LinkSnapshot, search: string): Response {
  if (link.state !== "active") return gonePage(request);
  const visitor = new RequestVisitor(request.headers, geographyOf(request, env), {
    search,
    source: "link",
    linkId: link.id,
    at: Date.now(),
  });
  const decision = decide(link, visitor);
  if (decision.kind === "expired") return gonePage(request);
  if (request.method === "GET") record(env, ctx, link, clickOf(visitor, decision.rule));
  return new Response(null, {
    status: 302,
    headers: { Location: asciiUrl(decision.url), "Cache-Control": "private, no-store" },
  });
}

/** The slug of a path, or null for what can be none: saves the database look-ups of scanners. */
function slugOf(path: string): string | null {
  const slug = path.includes("%") ? decoded(path) : path;
  return slug.length <= 64 && /^[A-Za-z0-9_-]+$/.test(slug) ? slug : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

function geographyOf(request: Request, env: Env): Geography {
  const cf = (request.cf ?? {}) as Geography;
  return env.DEV_VISITOR_HEADERS === "1" ? pretended(request.headers, cf) : cf;
}

/** In development there is no edge to locate visitors: headers stand in for it. Never on in production. */
function pretended(headers: Headers, cf: Geography): Geography {
  const country = headers.get("x-visitor-country");
  const region = headers.get("x-visitor-region");
  const city = headers.get("x-visitor-city");
  const continent = headers.get("x-visitor-continent");
  if (!country && !region && !city && !continent) return cf;
  return { country, regionCode: region?.replace(/^[A-Z]{2}-/, "") ?? null, city, continent };
}

function clickOf(visitor: RequestVisitor, rule: number): Click {
  return {
    at: visitor.at,
    class: visitor.class,
    country: visitor.country,
    continent: visitor.continent ?? "",
    region: visitor.region ?? "",
    city: visitor.city ?? "",
    device: visitor.device,
    os: visitor.os,
    browser: visitor.browser,
    language: visitor.language ?? "",
    referrer: visitor.referrer ?? "",
    qr: "",
    rule: rule < 0 ? "" : String(rule),
  };
}

/** Headers carry ASCII only; a destination is stored as typed. */
function asciiUrl(url: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII itself
  return /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href;
}
