/**
 * The dashboard's pages: one HTML file for every address, whose script reads the address; and its hashed files. They may
 * load nothing from elsewhere, run no inline script, and be framed by nobody.
 */
import { Hono } from "hono";

import { asset } from "./assets.ts";
import type { Api } from "./context.ts";

/** `style-src 'unsafe-inline'`: Mantine sets sizes and colours as style attributes, which no nonce or hash can allow. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const PAGE_HEADERS = {
  "Content-Security-Policy": POLICY,
  "Cache-Control": "no-cache",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

/** The build names these files by what is in them. */
const HASHED_HEADERS = { "Cache-Control": "public, max-age=31536000, immutable" };

export const dashboardPages = new Hono<Api>()
  .get("/dashboard/assets/*", (c) => asset(c, c.req.path, HASHED_HEADERS))
  // The asset server keeps a folder's page at `/dashboard/` and would redirect there.
  .get("/dashboard", (c) => asset(c, "/dashboard/", PAGE_HEADERS))
  .get("/dashboard/*", (c) => asset(c, "/dashboard/", PAGE_HEADERS));
