/**
 * Files of the build: the pages of the documentation and the dashboard, and the descriptions of the API. Also serves
 * `/.well-known` for programs. No key needed. The Worker serves the files itself, instead of the asset server in front
 * of it, so that no file shadows a slug and each response has the headers it needs.
 */
import type { Context } from "hono";

import { asyncApiServers, withOwnHost } from "../core/deployment/sample-host.ts";
import { abuseContact, cdnUrl, ownDefaultRedirects } from "../core/deployment/settings.ts";
import { ApiError } from "../core/errors.ts";
import { hasCurrentEtag } from "../core/http/entity-tags.ts";
import { NO_TRANSFORM } from "../core/http/plain-page.ts";
import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalog, securityText } from "../core/http/well-known.ts";
import { locationOf } from "../core/links/visit-decision.ts";
import { seemsToHaveAccounts } from "../store/operators/deployment-state.ts";
import { type ApiEnv, createHandlers } from "./context.ts";
import { sharedPageOf } from "./dashboard/shares.ts";
import { acceptsPage, requireTables } from "./middleware/errors.ts";

/**
 * Pages load nothing from other hosts and run no inline script or style. `connect-src` lets the search load its index.
 */
const DOCS_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "no-referrer",
  Link: `<${API_CATALOG_PATH}>; rel="api-catalog"`,
};

/**
 * Redirects to `HOME_URL` if links are on this host. Otherwise to the dashboard, or to its instructions for creating the
 * first account.
 */
export const homeRoute = createHandlers(requireTables, async (c) => {
  const { hosts } = c.var;
  const hasLinks = hosts.shortDomainByHostname.has(hosts.baseHostname);
  const home = hasLinks ? ownDefaultRedirects(c.env, hosts).rootUrl : null;
  if (home !== null) return c.redirect(locationOf(home));
  return c.redirect((await seemsToHaveAccounts(c.env)) ? "/dashboard" : "/dashboard/setup");
});

export const robotsRoute = createHandlers((c) => c.text("User-agent: *\nDisallow: /v1/\n"));

export const faviconRoute = createHandlers((c) => serveAsset(c, "/docs/favicon.svg", {}));

export const openApiRoute = createHandlers((c) =>
  serveAsset(c, "/openapi.json", { "Access-Control-Allow-Origin": "*" }),
);

export const asyncApiRoute = createHandlers((c) =>
  serveText(c, "application/json", (text, baseUrl) =>
    JSON.stringify({ ...JSON.parse(withOwnHost(text, baseUrl)), servers: asyncApiServers(baseUrl) }, null, 2),
  ),
);

/** `/llms.txt` and `/llms-full.txt`. */
export const llmsTextRoute = createHandlers((c) => serveText(c, "text/plain; charset=utf-8"));

export const guideMarkdownRoute = createHandlers((c) => serveText(c, "text/markdown; charset=utf-8"));

/** The asset server has the page at `/docs/`, and would redirect from `/docs`. */
export const docsRoute = createHandlers(requireTables, (c) => serveAsset(c, "/docs/", DOCS_HEADERS));

/** Has the search, and links to each reader's pages. */
const UNKNOWN_PAGE = "/docs/not-found";

export const docsPageRoute = createHandlers(requireTables, (c) =>
  serveAsset(c, c.req.path, DOCS_HEADERS, UNKNOWN_PAGE),
);

const CACHE_CONTROL = "public, max-age=3600";

/** Sends the `Link` header, which RFC 9727 requires for a HEAD request. */
export const apiCatalogRoute = createHandlers((c) => {
  const { baseUrl } = c.var.hosts;
  return c.body(JSON.stringify(apiCatalog(baseUrl)), 200, {
    "Content-Type": API_CATALOG_TYPE,
    "Cache-Control": CACHE_CONTROL,
    "Access-Control-Allow-Origin": "*",
    Link: `<${baseUrl}${API_CATALOG_PATH}>; rel="api-catalog"`,
  });
});

/** @throws ApiError not_found without a contact */
export const securityTextRoute = createHandlers((c) => {
  const text = securityText(abuseContact(c.env), c.var.hosts.baseUrl, Date.now());
  if (text === null) throw new ApiError("not_found");
  return c.text(text, 200, { "Cache-Control": CACHE_CONTROL });
});

/**
 * The dashboard's pages: one HTML file for every URL, whose script reads the URL; and its hashed files. Pages load
 * nothing from other hosts, run no inline script, and cannot be framed.
 */

/**
 * What a page may load. `style-src 'unsafe-inline'`: Mantine writes its breakpoints and colors as style elements while
 * it runs. QR images come from the CDN.
 */
function contentSecurityPolicy(cdn: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    `img-src 'self' data: blob: ${new URL(cdn).origin}`,
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

function pageHeaders({ env, var: { hosts } }: Context<ApiEnv>) {
  return {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": contentSecurityPolicy(cdnUrl(env, hosts)),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
  };
}

/** The build puts a content hash into these names, so the content of a name never changes. */
const HASHED_HEADERS = { "Cache-Control": "public, max-age=31536000, immutable" };

export const dashboardAssetRoute = createHandlers((c) => serveAsset(c, c.req.path, HASHED_HEADERS));

/** The asset server has the page at `/dashboard/`, and would redirect from `/dashboard`. */
export const dashboardPageRoute = createHandlers(requireTables, (c) => serveAsset(c, "/dashboard/", pageHeaders(c)));

/** The page of a token reads its statistics itself. An unknown token answers 404 with the same page, which says so. */
export const sharedPageRoute = createHandlers(requireTables, async (c) => {
  const isShared = (await sharedPageOf(c)) !== null;
  const path = "/dashboard/share";
  const headers = { ...pageHeaders(c), "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };
  return serveAsset(c, path, headers, isShared ? undefined : path);
});

/**
 * @param unknownPage  what browsers get, with status 404, instead of a file that does not exist
 * @throws ApiError not_found
 */
async function serveAsset(
  c: Context<ApiEnv>,
  path: string,
  headers: Record<string, string>,
  unknownPage?: string,
): Promise<Response> {
  let found = await c.env.ASSETS.fetch(new Request(new URL(path, c.req.url), c.req.raw));
  let { status } = found;
  if (status === 404 || path === unknownPage) {
    if (unknownPage === undefined || !acceptsPage(c)) throw new ApiError("not_found");
    // Without the request's headers, which could turn it into a 304.
    found = await c.env.ASSETS.fetch(new URL(unknownPage, c.req.url));
    status = 404;
  }
  const response = new Response(found.body, { status, headers: found.headers });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (response.headers.get("Content-Type")?.startsWith("text/html")) forbidTransformation(c, response);
  return response;
}

/** The edge does not compress such a response either. The runtime does if a header requests it. */
function forbidTransformation({ req }: Context<ApiEnv>, { headers, status }: Response): void {
  headers.append("Cache-Control", NO_TRANSFORM);
  headers.append("Vary", "Accept-Encoding");
  // The edge replaces the request's header with its own.
  const { clientAcceptEncoding } = (req.raw.cf ?? {}) as { clientAcceptEncoding?: string };
  if (status !== 200 || !/\bgzip\b(?!;\s*q=0)/.test(clientAcceptEncoding ?? req.header("Accept-Encoding") ?? ""))
    return;
  headers.delete("Content-Length");
  headers.set("Content-Encoding", "gzip");
}

/**
 * Serves a text for programs with this service's host: unlike a page, it has no script that inserts the host.
 * @param adapt  receives the text that the build wrote, and the service's scheme and host
 * @throws ApiError not_found
 */
async function serveText(c: Context<ApiEnv>, contentType: string, adapt = withOwnHost): Promise<Response> {
  const { baseUrl } = c.var.hosts;
  const found = await c.env.ASSETS.fetch(new URL(c.req.path, c.req.url));
  if (found.status !== 200) throw new ApiError("not_found");
  // The text of the same file changes with the service's host.
  const etag = `"${(found.headers.get("ETag") ?? "").replaceAll('"', "")}-${baseUrl}"`;
  const headers = {
    "Cache-Control": "public, max-age=0, must-revalidate",
    "Access-Control-Allow-Origin": "*",
    "Content-Type": contentType,
    ETag: etag,
  };
  if (hasCurrentEtag(c.req.header("If-None-Match") ?? "", etag)) return c.body(null, 304, headers);
  return c.body(adapt(await found.text(), baseUrl), 200, headers);
}
