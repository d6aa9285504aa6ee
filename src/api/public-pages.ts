/**
 * The service's public pages: the documentation, for people and for programs, the descriptions of the API, and what
 * programs look for below `/.well-known`. No key needed.
 * The documentation is static files of the build. Its pages load nothing from other hosts and run no inline script or
 * style; `connect-src` lets the search load its index.
 */
import { abuseContact } from "../core/deployment/settings.ts";
import { ApiError } from "../core/errors.ts";
import { asyncApiServers, withOwnHost } from "../core/deployment/sample-host.ts";
import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalog, securityText } from "../core/http/well-known.ts";
import { seemsToHaveAccounts } from "../store/operators/deployment-state.ts";
import { serveAsset, serveText } from "./assets.ts";
import { createHandlers } from "./context.ts";
import { requireTables } from "./middleware/complete-deployment.ts";

const DOCS_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "no-referrer",
  Link: `<${API_CATALOG_PATH}>; rel="api-catalog"`,
};

/** To the documentation, or where it says how to get the first account. */
export const homeRoute = createHandlers(requireTables, async (c) =>
  c.redirect((await seemsToHaveAccounts(c.env)) ? "/docs" : "/dashboard/sign-in"),
);

export const robotsRoute = createHandlers((c) => c.text("User-agent: *\nDisallow: /v1/\n"));

export const faviconRoute = createHandlers((c) => serveAsset(c, "/docs/favicon.svg", {}));

export const openApiRoute = createHandlers((c) =>
  serveAsset(c, "/openapi.json", { "Access-Control-Allow-Origin": "*" }),
);

export const asyncApiRoute = createHandlers((c) =>
  serveText(c, "/asyncapi.json", { "Content-Type": "application/json" }, (text, baseUrl) =>
    JSON.stringify({ ...JSON.parse(withOwnHost(text, baseUrl)), servers: asyncApiServers(baseUrl) }, null, 2),
  ),
);

/** `/llms.txt` and `/llms-full.txt`. */
export const llmsTextRoute = createHandlers((c) =>
  serveText(c, c.req.path, { "Content-Type": "text/plain; charset=utf-8" }),
);

export const guideMarkdownRoute = createHandlers((c) =>
  serveText(c, c.req.path, { "Content-Type": "text/markdown; charset=utf-8" }),
);

/** `/docs/`, where the asset server has the page; it would redirect from `/docs`. */
export const docsRoute = createHandlers(requireTables, (c) => serveAsset(c, "/docs/", DOCS_HEADERS));

export const docsPageRoute = createHandlers(requireTables, (c) => serveAsset(c, c.req.path, DOCS_HEADERS));

const CACHE_CONTROL = "public, max-age=3600";

/** With the header `Link`, which RFC 9727 wants of a HEAD request. */
export const apiCatalogRoute = createHandlers((c) => {
  const { baseUrl } = c.var.hosts;
  return c.body(JSON.stringify(apiCatalog(baseUrl)), 200, {
    "Content-Type": API_CATALOG_TYPE,
    "Cache-Control": CACHE_CONTROL,
    "Access-Control-Allow-Origin": "*",
    Link: `<${baseUrl}${API_CATALOG_PATH}>; rel="api-catalog"`,
  });
});

/** @throws ApiError not_found without a contact: there is nobody to name */
export const securityTextRoute = createHandlers((c) => {
  const text = securityText(abuseContact(c.env), c.var.hosts.baseUrl, Date.now());
  if (text === null) throw new ApiError("not_found");
  return c.text(text, 200, { "Cache-Control": CACHE_CONTROL });
});
