/**
 * The dashboard's pages: one HTML file for every address, whose script reads the address; and its hashed files. Pages
 * load nothing from other hosts, run no inline script, and cannot be framed.
 */
import { cdnUrl } from "../../core/deployment/settings.ts";
import { serveAsset } from "../assets.ts";
import { createHandlers } from "../context.ts";
import { requireTables } from "../middleware/complete-deployment.ts";

/**
 * What a page may load. `style-src 'unsafe-inline'`: Mantine writes its breakpoints and colours as style elements while
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

const PAGE_HEADERS = {
  "Cache-Control": "no-cache",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

/** The build puts a hash of the content into these names, so a name never changes its content. */
const HASHED_HEADERS = { "Cache-Control": "public, max-age=31536000, immutable" };

export const dashboardAssetRoute = createHandlers((c) => serveAsset(c, c.req.path, HASHED_HEADERS));

/** `/dashboard/`, where the asset server has the page; it would redirect from `/dashboard`. */
export const dashboardPageRoute = createHandlers(requireTables, (c) =>
  serveAsset(c, "/dashboard/", {
    ...PAGE_HEADERS,
    "Content-Security-Policy": contentSecurityPolicy(cdnUrl(c.env, c.var.hosts)),
  }),
);
