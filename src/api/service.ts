/** The service on its own host: middleware for every request and response, around the routes of `urls.ts`. */
import { Hono, type MiddlewareHandler } from "hono";

import { ApiError } from "../core/errors.ts";
import { hostsOf } from "../core/deployment/settings.ts";
import { HSTS_HEADER, originOf } from "../core/hosts.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { UnavailableError } from "../store/timeout.ts";
import type { ApiEnv } from "./context.ts";
import { markExposedKey, sessionAuth } from "./middleware/access.ts";
import { crossOrigin } from "./middleware/cors.ts";
import { requireSettings, respondWithError } from "./middleware/errors.ts";
import { operatorRoutes } from "./operator/urls.ts";
import { statusUrls, urls, v1Routes } from "./urls.ts";

const API_PATHS = ["/v1/*", "/mcp", "/dashboard/api/*"];

/**
 * Refuses requests over plain HTTP, which expose keys and bodies on the network, and marks their keys. Runs before any
 * check that reads the request. The URL is the only evidence: headers such as `X-Forwarded-Proto` are the sender's
 * claim.
 * @param redirected  methods that are redirected instead; none of the API's, whose clients would send their key in
 *   the clear each time
 */
function requireHttps(redirected: readonly string[] = []): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { baseUrl, protocol } = c.var.hosts;
    const { method, url } = c.req;
    if (protocol !== "https:" || url.startsWith("https:")) return next();
    c.executionCtx.waitUntil(markExposedKey(c));
    if (redirected.includes(method)) return c.redirect(baseUrl + url.slice(originOf(url).length), 308);
    const message = `The request was sent over plain HTTP. Use ${baseUrl}, and replace any key that it contained.`;
    throw new ApiError("https_required", message);
  };
}

/** Monitors may use plain HTTP. The deep check alone accepts a secret, an operator's token. */
const requireHttpsForToken: MiddlewareHandler<ApiEnv> = (c, next) =>
  c.req.query("deep") === undefined ? next() : requireHttps()(c, next);

const identifyRequest: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("requestId", timeOrderedId("req_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))));
  c.set("hosts", hostsOf(c.env, c.req.url));
  await next();
  c.header("X-Request-Id", c.var.requestId);
  c.header("X-Content-Type-Options", "nosniff");
  if (c.var.hosts.protocol === "https:") c.header(HSTS_HEADER.name, HSTS_HEADER.value);
};

/** Adds headers with this caller's limits. Responses to refused keys contain none. */
const announceRateLimits: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (c.var.rateLimitPolicy !== undefined) c.header("RateLimit-Policy", c.var.rateLimitPolicy);
};

/** Keeps one caller's data out of shared caches. Streams set their own `Cache-Control`. */
const noStore: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
};

export const service = new Hono<ApiEnv>()
  .use(identifyRequest)
  .use("/v1/*", noStore, crossOrigin("/v1", v1Routes), announceRateLimits)
  .use("/mcp", noStore, announceRateLimits)
  .on("ALL", API_PATHS, requireHttps())
  .use("/health", requireHttpsForToken)
  .route("/", statusUrls)
  .use(requireHttps(["GET", "HEAD"]))
  .use(requireSettings)
  .use("/dashboard/api/operator/*", noStore)
  // Mounted before session authentication: the operator's commands use tokens.
  .route("/dashboard/api/operator", operatorRoutes)
  .use("/dashboard/api/*", noStore, announceRateLimits, sessionAuth)
  .route("/", urls)
  .notFound(() => {
    throw new ApiError("not_found");
  })
  .onError(respondWithError);

/** Responds in place of an unavailable service, in the form of its errors. */
export const unavailableService = new Hono<ApiEnv>()
  .use(identifyRequest)
  .use("/v1/*", noStore, crossOrigin("/v1", v1Routes))
  .on("ALL", API_PATHS, requireHttps())
  .use("/health", requireHttpsForToken)
  .all("*", () => {
    throw new UnavailableError("the service's object was not reached");
  })
  .onError(respondWithError);
