/**
 * The service's public pages: health, the OpenAPI document, the documentation, and where to begin. No key needed.
 * The documentation is static files from the build; its pages may load nothing from elsewhere, and no script or style
 * that stands in a page runs. `connect-src` is for the index of the search.
 */
import { Hono } from "hono";

import { ApiError } from "../core/errors.ts";
import { isDatabaseUp } from "../store/health.ts";
import { serveAsset } from "./assets.ts";
import type { ApiEnv } from "./context.ts";

const DOCS_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "no-referrer",
};

export const publicPageRoutes = new Hono<ApiEnv>()
  .get("/", (c) => c.redirect("/docs"))
  .get("/health", async (c) => {
    if (!(await isDatabaseUp(c.env))) {
      throw new ApiError("unavailable", "The database does not answer", { headers: { "Retry-After": "5" } });
    }
    return c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" });
  })
  .get("/robots.txt", (c) => c.text("User-agent: *\nDisallow: /v1/\n"))
  .get("/favicon.ico", (c) => serveAsset(c, "/docs/favicon.svg", {}))
  .get("/openapi.json", (c) => serveAsset(c, "/openapi.json", { "Access-Control-Allow-Origin": "*" }))
  // The asset server keeps a folder's page at `/docs/` and would redirect there.
  .get("/docs", (c) => serveAsset(c, "/docs/", DOCS_HEADERS))
  .get("/docs/*", (c) => serveAsset(c, c.req.path, DOCS_HEADERS));
