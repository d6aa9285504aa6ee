/** Images of QR codes below this service's own host, with the headers that CDN_URL has in production. */
import { ApiError } from "../../core/errors.ts";
import { imageType } from "../../core/qr/image-name.ts";
import { IMAGE_CACHE_CONTROL } from "../../store/images/bucket-images.ts";
import { readImage } from "../../store/qr-codes.ts";
import { createHandlers } from "../context.ts";
import { pathParam } from "../middleware/input.ts";

/** An SVG is a document: opened by itself, it may run, load and submit nothing. */
const SVG_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export const getQrImageRoute = createHandlers(async (c) => {
  const name = pathParam(c, "name");
  const image = await readImage(c.env, name, c.req.header("If-None-Match") ?? null);
  if (!image) throw new ApiError("not_found");
  const headers = imageHeaders(imageType(name), image.etag);
  return image.body
    ? new Response(image.body, { headers: { ...headers, "Content-Length": String(image.size) } })
    : new Response(null, { status: 304, headers });
});

function imageHeaders(type: string, etag: string): Record<string, string> {
  return {
    ETag: etag,
    // Pages of any site may draw the image on a canvas. It is public already.
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
    "Content-Type": type,
    "Cache-Control": IMAGE_CACHE_CONTROL,
    ...(type === "image/svg+xml" ? { "Content-Security-Policy": SVG_CSP } : {}),
  };
}
