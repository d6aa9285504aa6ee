/**
 * The service's public pages: health, the OpenAPI document and the documentation. No key needed.
 * The documentation is static files of the build. Its pages load nothing from other hosts and run no inline script or
 * style; `connect-src` lets the search load its index.
 */
import { ApiError } from "../core/errors.ts";
import { isDatabaseUp } from "../store/health.ts";
import { serveAsset } from "./assets.ts";
import { createHandlers } from "./context.ts";
import { respondJson } from "./json-response.ts";

const DOCS_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "no-referrer",
};

export const homeRoute = createHandlers((c) => c.redirect("/docs"));

export const healthRoute = createHandlers(async (c) => {
  if (!(await isDatabaseUp(c.env))) {
    throw new ApiError("unavailable", "The database does not answer", { headers: { "Retry-After": "5" } });
  }
  return respondJson(c, { status: 200, body: { status: "ok" }, headers: { "Cache-Control": "no-store" } });
});

export const robotsRoute = createHandlers((c) => c.text("User-agent: *\nDisallow: /v1/\n"));

export const faviconRoute = createHandlers((c) => serveAsset(c, "/docs/favicon.svg", {}));

export const openApiRoute = createHandlers((c) =>
  serveAsset(c, "/openapi.json", { "Access-Control-Allow-Origin": "*" }),
);

/** `/docs/`, where the asset server has the page; it would redirect from `/docs`. */
export const docsRoute = createHandlers((c) => serveAsset(c, "/docs/", DOCS_HEADERS));

export const docsPageRoute = createHandlers((c) => serveAsset(c, c.req.path, DOCS_HEADERS));
