/** Distinguishes a wrong method from an unknown path: 405 with `Allow`, or 404. Both only after authentication. */
import type { Hono } from "hono";

import { ApiError } from "../../core/errors.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { access } from "./access.ts";

/** @param prefix  where the routes are mounted */
export function unknownRoute(prefix: string, { routes }: Pick<Hono<ApiEnv>, "routes">) {
  const patterns = routes.map(({ method, path }) => ({ method, matches: pathPattern(prefix + path) }));
  return createHandlers(access(null), (c) => {
    const methods = new Set(patterns.filter(({ matches }) => matches.test(c.req.path)).map(({ method }) => method));
    if (methods.size === 0) throw new ApiError("not_found", "There is no such route");
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods].sort().join(", ");
    throw new ApiError("method_not_allowed", `This route allows ${allow}`, { headers: { Allow: allow } });
  });
}

export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
}
