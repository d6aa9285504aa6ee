/** Tells a wrong method from an unknown route: 405 with `Allow`, or 404. */
import type { Hono, MiddlewareHandler } from "hono";

import { ApiError } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";

/** @param prefix  where the routes are mounted */
export function refuseUnknownRoute(
  prefix: string,
  { routes }: Pick<Hono<ApiEnv>, "routes">,
): MiddlewareHandler<ApiEnv> {
  const patterns = routes.map(({ method, path }) => ({ method, matches: pathPattern(prefix + path) }));
  return async (c) => {
    const methods = new Set(patterns.filter(({ matches }) => matches.test(c.req.path)).map(({ method }) => method));
    if (methods.size === 0) throw new ApiError("not_found", "There is no such route");
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods].sort().join(", ");
    throw new ApiError("method_not_allowed", `This route allows ${allow}`, { headers: { Allow: allow } });
  };
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
}
