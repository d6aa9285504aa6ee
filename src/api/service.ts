/** Everything the service answers on its own host: the API under `/v1`, its description, docs and health. */
import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

import { ApiError } from "../core/errors.ts";
import { HSTS, hostsOf } from "../core/hosts.ts";
import { settingsProblem } from "../core/settings.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { access } from "./access.ts";
import type { Api } from "./context.ts";
import { dashboard } from "./dashboard.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { answerError } from "./errors.ts";
import { refuseUnknown } from "./methods.ts";
import { pages } from "./pages.ts";
import { images } from "./qr.ts";
import { sessionDoor } from "./session-door.ts";
import { v1 } from "./v1.ts";

/** Keys are for servers, but a page on localhost or an internal tool may hold one; no cookie is ever involved. */
const crossOrigin = cors({
  origin: "*",
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID"],
  exposeHeaders: ["ETag", "Idempotent-Replayed", "Retry-After", "X-Request-Id"],
  maxAge: 86_400,
});

/** What is answered to a key or a session is for nobody else, and soon out of date. Streams say more for themselves. */
const noStore: MiddlewareHandler<Api> = async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
};

export const service = new Hono<Api>()
  .use(async (c, next) => {
    c.set("requestId", timeOrderedId("req_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))));
    c.set("hosts", hostsOf(c.env));
    await next();
    c.header("X-Request-Id", c.var.requestId);
    c.header("X-Content-Type-Options", "nosniff");
    if (c.var.hosts.protocol === "https:") c.header(HSTS.name, HSTS.value);
  })
  .use("/v1/*", noStore, crossOrigin)
  .use((c, next) => {
    requireSettings(c.env);
    return next();
  })
  .route("/v1", v1)
  .all("/v1/*", access(null), refuseUnknown("/v1", v1))
  .use("/dashboard/api/*", noStore, sessionDoor)
  .route("/dashboard/api", dashboard)
  .all("/dashboard/api/*", access(null), refuseUnknown("/dashboard/api", dashboard))
  .route("/", images)
  .route("/", pages)
  .route("/", dashboardPages)
  .notFound(() => {
    throw new ApiError("not_found");
  })
  .onError(answerError);

/** Workers have no start at which to refuse; so every door of the service says what is wrong until it is mended. */
function requireSettings(env: Env): void {
  const problem = settingsProblem(env);
  if (problem === null) return;
  console.error("misconfigured", { problem });
  throw new ApiError("misconfigured", problem, { headers: { "Retry-After": "60" } });
}
