/** The service's public pages: health, the OpenAPI document, the reference, and where to begin. No key needed. */
import { Hono } from "hono";

import { ApiError } from "../core/errors.ts";
import { isDatabaseUp } from "../store/health.ts";
import type { Api } from "./context.ts";

export const pages = new Hono<Api>()
  .get("/", (c) => c.redirect("/docs"))
  .get("/health", async (c) => {
    if (!(await isDatabaseUp(c.env))) {
      throw new ApiError("unavailable", "The database does not answer", { headers: { "Retry-After": "5" } });
    }
    return c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" });
  })
  .get("/robots.txt", (c) => c.text("User-agent: *\nDisallow: /v1/\n"))
  .get("/openapi.json", (c) => c.env.ASSETS.fetch(c.req.raw))
  .get("/docs", (c) => c.env.ASSETS.fetch(c.req.raw))
  .get("/docs/*", (c) => c.env.ASSETS.fetch(c.req.raw));
