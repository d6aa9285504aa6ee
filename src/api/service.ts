/** Everything the service answers on its own host: the API under `/v1`, its description, docs and health. */
import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

import { ApiError } from "../core/errors.ts";
import { HSTS_HEADER, hostsOf } from "../core/hosts.ts";
import { settingsProblem } from "../core/settings.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { access } from "./middleware/access.ts";
import type { ApiEnv } from "./context.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { dashboardPageRoutes } from "./dashboard/pages.ts";
import { respondWithError } from "./middleware/errors.ts";
import { refuseUnknownRoute } from "./middleware/unknown-routes.ts";
import { publicPageRoutes } from "./public-pages.ts";
import { qrImageRoutes } from "./qr/routes.ts";
import { sessionAuth } from "./middleware/session-auth.ts";
import { v1Routes } from "./v1.ts";

/** Keys are for servers, but a page on localhost or an internal tool may hold one; no cookie is ever involved. */
const crossOrigin = cors({
  origin: "*",
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID"],
  exposeHeaders: ["ETag", "Idempotent-Replayed", "Retry-After", "X-Request-Id"],
  maxAge: 86_400,
});

/** What is answered to a key or a session is for nobody else, and soon out of date. Streams say more for themselves. */
const noStore: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
};

export const service = new Hono<ApiEnv>()
  .use(async (c, next) => {
    c.set("requestId", timeOrderedId("req_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))));
    c.set("hosts", hostsOf(c.env));
    await next();
    c.header("X-Request-Id", c.var.requestId);
    c.header("X-Content-Type-Options", "nosniff");
    if (c.var.hosts.protocol === "https:") c.header(HSTS_HEADER.name, HSTS_HEADER.value);
  })
  .use("/v1/*", noStore, crossOrigin)
  .use((c, next) => {
    requireSettings(c.env);
    return next();
  })
  .route("/v1", v1Routes)
  .all("/v1/*", access(null), refuseUnknownRoute("/v1", v1Routes))
  .use("/dashboard/api/*", noStore, sessionAuth)
  .route("/dashboard/api", dashboardRoutes)
  .all("/dashboard/api/*", access(null), refuseUnknownRoute("/dashboard/api", dashboardRoutes))
  .route("/", qrImageRoutes)
  .route("/", publicPageRoutes)
  .route("/", dashboardPageRoutes)
  .notFound(() => {
    throw new ApiError("not_found");
  })
  .onError(respondWithError);

/** Workers have no start at which to refuse; so every door of the service says what is wrong until it is mended. */
function requireSettings(env: Env): void {
  const problem = settingsProblem(env);
  if (problem === null) return;
  console.error("misconfigured", { problem });
  throw new ApiError("misconfigured", problem, { headers: { "Retry-After": "60" } });
}
