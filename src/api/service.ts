/** Everything the service answers on its own host: the API under `/v1`, its description, docs and health. */
import { Hono } from "hono";
import { cors } from "hono/cors";

import { ApiError } from "../core/errors.ts";
import { hostsOf } from "../core/hosts.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { access } from "./access.ts";
import type { Api } from "./context.ts";
import { answerError } from "./errors.ts";
import { links } from "./links.ts";
import { refuseUnknown } from "./methods.ts";
import { pages } from "./pages.ts";
import { images, qr } from "./qr.ts";
import { stats } from "./stats.ts";
import { streams } from "./stream.ts";

/** The routes under `/v1`. The OpenAPI document is read off them. */
export const v1 = new Hono<Api>().route("/", links).route("/", stats).route("/", qr).route("/", streams);

/** Keys are for servers, but a page on localhost or an internal tool may hold one; no cookie is ever involved. */
const crossOrigin = cors({
  origin: "*",
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID"],
  exposeHeaders: ["ETag", "Idempotent-Replayed", "Retry-After", "X-Request-Id"],
  maxAge: 86_400,
});

export const service = new Hono<Api>()
  .use(async (c, next) => {
    c.set("requestId", timeOrderedId("req_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))));
    c.set("hosts", hostsOf(c.env));
    await next();
    c.header("X-Request-Id", c.var.requestId);
    c.header("X-Content-Type-Options", "nosniff");
  })
  .use("/v1/*", crossOrigin)
  .route("/v1", v1)
  .all("/v1/*", access(null), refuseUnknown(v1))
  .route("/", images)
  .route("/", pages)
  .notFound(() => {
    throw new ApiError("not_found");
  })
  .onError(answerError);
