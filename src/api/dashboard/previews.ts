/**
 * Previews of destinations in the dashboard: icons, and how a page looks when it is shared. The service fetches them,
 * so that browsers do not reveal to other hosts who views which link. Fetches are limited per account; stored previews
 * cost none.
 */
import type { Context } from "hono";

import { type PagePreview, PreviewImageQuery, PreviewRequest } from "../../core/contract/dashboard.ts";
import { fetchableUrl } from "../../core/http/public-web.ts";
import { enforceRate } from "../../store/accounts/rate-limits.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import { fetchIcon, readIcon, readPreview } from "../../store/remote/page-previews.ts";
import { fetchPublicImage, type PublicImage } from "../../store/remote/public-web.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, pathParam, query } from "../middleware/input.ts";

const PREVIEW_IMAGE_MAX_BYTES = 1024 * 1024;

const NOT_FETCHED: PagePreview = { fetched: false, title: null, description: null, site_name: null, image: null };

/** Untrusted bytes: opened as a document, they can neither run nor load anything. */
const IMAGE_HEADERS = {
  "Cache-Control": "private, max-age=86400",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export const getFaviconRoute = createHandlers(access(null), noQuery, async (c) => {
  const host = fetchableUrl(`https://${pathParam(c, "host")}/`)?.hostname;
  if (host === undefined) return imageResponse(c, null);
  const kept = await readIcon(c.env, host);
  if (!kept) await limitFetches(c.env, c.var.caller);
  return imageResponse(c, kept ?? (await fetchIcon(c.env, host)));
});

export const createPreviewRoute = createHandlers(access(null), body(PreviewRequest), async (c) => {
  await limitFetches(c.env, c.var.caller);
  const preview = await readPreview(c.env, c.req.valid("json").url);
  return respondJson(c, { status: 200, body: preview ?? NOT_FETCHED });
});

export const getPreviewImageRoute = createHandlers(access(null), query(PreviewImageQuery), async (c) => {
  await limitFetches(c.env, c.var.caller);
  const image = await fetchPublicImage(c.env, c.req.valid("query").url, PREVIEW_IMAGE_MAX_BYTES);
  return imageResponse(c, image);
});

/** @throws ApiError rate_limited */
function limitFetches(env: Env, { accountId }: Caller): Promise<void> {
  return enforceRate(env.PREVIEWS, accountId, "This account has requested too many previews within a minute.");
}

/** 204 without an image: a 404 would appear in every browser's console. */
function imageResponse(c: Context<ApiEnv>, image: PublicImage | null): Response {
  return image && image.bytes.byteLength > 0
    ? c.body(image.bytes, 200, { ...IMAGE_HEADERS, "Content-Type": image.type })
    : c.body(null, 204, IMAGE_HEADERS);
}
