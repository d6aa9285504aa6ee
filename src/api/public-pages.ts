/**
 * The service's public pages: the documentation, for people and for programs, and the descriptions of the API. No key
 * needed.
 * The documentation is static files of the build. Its pages load nothing from other hosts and run no inline script or
 * style; `connect-src` lets the search load its index.
 */
import { seemsToHaveAccounts } from "../store/operators/deployment-state.ts";
import { withOwnHost } from "../core/sample-host.ts";
import { API_CATALOG_PATH } from "../core/well-known/api-catalog.ts";
import { serveAsset, serveText } from "./assets.ts";
import { asyncApiServers } from "./asyncapi/servers.ts";
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
