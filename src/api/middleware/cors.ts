/**
 * CORS for `/v1`. Any origin: a page on localhost or an internal tool may hold an API key, and no cookie is ever
 * involved. Preflights carry no key, so their answers are made from the documentation of the routes alone.
 */
import type { Hono, MiddlewareHandler } from "hono";

import type { ApiEnv } from "../context.ts";
import { routeDocOf } from "../openapi/route-doc.ts";
import { pathPattern } from "./unknown-routes.ts";

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Every header that a script may want to read of a response, beside those that browsers show anyway. @internal */
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
  const routes = allowedOf(prefix, app);
  const expose = EXPOSED_HEADERS.join(", ");
  return async (c, next) => {
    if (c.req.method === "OPTIONS") {
      const headers = preflightHeaders(routes, c.req.path, c.req.header("Access-Control-Request-Method"));
      return c.body(null, 204, headers);
    }
    await next();
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Access-Control-Expose-Headers", expose);
  };
}

/** The methods of one path, each with the request headers that its route reads. */
interface PathMethods {
  matches: RegExp;
  headersByMethod: Map<string, Set<string>>;
}

function allowedOf(prefix: string, { routes }: Pick<Hono<ApiEnv>, "routes">): PathMethods[] {
  const byPath = new Map<string, PathMethods>();
  for (const { method, path, handler } of routes) {
    const known = byPath.get(path) ?? { matches: pathPattern(prefix + path), headersByMethod: new Map() };
    byPath.set(path, known);
    const { body, requestHeaders = [] } = routeDocOf(handler) ?? {};
    // Many clients send Content-Type with every request.
    const headers = known.headersByMethod.get(method) ?? new Set(["Authorization", "Content-Type"]);
    for (const name of [...requestHeaders, ...(body ? ["Content-Encoding"] : [])]) headers.add(name);
    known.headersByMethod.set(method, headers);
    if (method === "GET") known.headersByMethod.set("HEAD", headers);
  }
  return [...byPath.values()];
}

/** Of a path without a route, all that any route has: else a page could not read the 404. */
function preflightHeaders(routes: readonly PathMethods[], path: string, method = ""): Record<string, string> {
  const matching = routes.filter(({ matches }) => matches.test(path));
  const byMethod = (matching.length > 0 ? matching : routes).flatMap(({ headersByMethod }) => [...headersByMethod]);
  const asked = byMethod.filter(([name]) => name === method);
  const headers = new Set((asked.length > 0 ? asked : byMethod).flatMap(([, names]) => [...names]));
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": [...new Set(byMethod.map(([name]) => name))].sort().join(", "),
    "Access-Control-Allow-Headers": [...headers].sort().join(", "),
    "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
    Vary: "Access-Control-Request-Method",
  };
}
