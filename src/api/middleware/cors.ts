/**
 * CORS for `/v1`. Any origin is allowed: a page on localhost or an internal tool may hold an API key, and no cookie is
 * ever involved. Preflights carry no key, so their responses are built from the documentation of the routes alone.
 */
import type { Hono, MiddlewareHandler } from "hono";

import type { ApiEnv } from "../context.ts";
import { routeDocOf } from "../openapi/route-doc.ts";

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Every response header that a script may want to read, in addition to those that browsers always expose. @internal */
export const EXPOSED_HEADERS = [
  "Accept-Encoding",
  "Allow",
  "Content-Disposition",
  "ETag",
  "Hoplink-As-Of",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
] as const;

/** @param prefix  where the routes are mounted */
export function crossOrigin(prefix: string, app: Pick<Hono<ApiEnv>, "routes">): MiddlewareHandler<ApiEnv> {
  const known = methodsOf(prefix, app);
  const expose = EXPOSED_HEADERS.join(", ");
  return async (c, next) => {
    if (c.req.method === "OPTIONS") {
      const headers = preflightHeaders(known, c.req.path, c.req.header("Access-Control-Request-Method"));
      return c.body(null, 204, headers);
    }
    await next();
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Access-Control-Expose-Headers", expose);
  };
}

/** For a path without a route, allows all headers of any route: otherwise a page could not read the 404. */
function preflightHeaders(known: ReturnType<typeof methodsOf>, path: string, asked = ""): Record<string, string> {
  const ofPath = known.filter(({ matches }) => matches.test(path));
  const matching = ofPath.length > 0 ? ofPath : known;
  const ofMethod = matching.filter(({ method }) => method === asked);
  const headers = (ofMethod.length > 0 ? ofMethod : matching).flatMap(({ handler }) => requestHeadersOf(handler));
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": sorted(matching.map(({ method }) => method)),
    // Many clients send Content-Type with every request.
    "Access-Control-Allow-Headers": sorted(["Authorization", "Content-Type", ...headers]),
    "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
    Vary: "Access-Control-Request-Method",
  };
}

function requestHeadersOf(handler: object): string[] {
  const { body, requestHeaders = [] } = routeDocOf(handler) ?? {};
  return [...requestHeaders, ...(body ? ["Content-Encoding"] : [])];
}

function sorted(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}

/** The methods of all paths, with the handlers of their routes. HEAD is supported wherever GET is. */
export function methodsOf(prefix: string, { routes }: Pick<Hono<ApiEnv>, "routes">) {
  return routes.flatMap(({ method, path, handler }) => {
    const matches = new RegExp(`^${(prefix + path).replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
    return (method === "GET" ? ["GET", "HEAD"] : [method]).map((each) => ({ method: each, matches, handler }));
  });
}
