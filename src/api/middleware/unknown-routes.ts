/** Distinguishes a wrong method from an unknown path: 405 with `Allow`, or 404. Both only after authentication. */
import type { Hono } from "hono";

import { ApiError } from "../../core/errors.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { access } from "./access.ts";

/** @param prefix  where the routes are mounted */
export function unknownRoute(prefix: string, app: Pick<Hono<ApiEnv>, "routes">) {
  const known = methodsOf(prefix, app);
  return createHandlers(access(null), (c) => {
    const methods = known.filter(({ matches }) => matches.test(c.req.path)).map(({ method }) => method);
    if (methods.length === 0) throw new ApiError("not_found", "This route does not exist. Check the path.");
    const allow = [...new Set(methods)].sort().join(", ");
    throw new ApiError("method_not_allowed", `This route supports only ${allow}.`, { headers: { Allow: allow } });
  });
}

/** The methods of all paths, with the handlers of their routes. HEAD is supported wherever GET is. */
export function methodsOf(prefix: string, { routes }: Pick<Hono<ApiEnv>, "routes">) {
  return routes.flatMap(({ method, path, handler }) => {
    const matches = new RegExp(`^${(prefix + path).replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
    return (method === "GET" ? ["GET", "HEAD"] : [method]).map((each) => ({ method: each, matches, handler }));
  });
}
