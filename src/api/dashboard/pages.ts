/**
 * The dashboard's pages: one HTML file for every address, whose script reads the address; and its hashed files. They may
 * load nothing from elsewhere, run no inline script, and be framed by nobody.
 */
import { type Context, Hono } from "hono";

import { serveAsset } from "../assets.ts";
import type { ApiEnv } from "../context.ts";

/**
 * What a page may load. `style-src 'unsafe-inline'`: Mantine writes its breakpoints and colours as style elements while
 * it runs. QR images come from the CDN.
 */
function contentSecurityPolicy(cdnUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    `img-src 'self' data: blob: ${new URL(cdnUrl).origin}`,
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

/** The build names these files by what is in them. */
const HASHED_HEADERS = { "Cache-Control": "public, max-age=31536000, immutable" };

export const dashboardPageRoutes = new Hono<ApiEnv>()
  .get("/dashboard/assets/*", (c) => serveAsset(c, c.req.path, HASHED_HEADERS))
  .get("/dashboard", servePage)
  .get("/dashboard/*", servePage);

/** The asset server keeps a folder's page at `/dashboard/` and would redirect there. */
function servePage(c: Context<ApiEnv>): Promise<Response> {
  return serveAsset(c, "/dashboard/", {
    ...PAGE_HEADERS,
    "Content-Security-Policy": contentSecurityPolicy(c.env.CDN_URL),
  });
}
