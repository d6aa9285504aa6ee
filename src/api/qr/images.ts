/** Images of QR codes below this service's own host, with the headers that CDN_URL has in production. */
import { ApiError } from "../../core/errors.ts";
import { readImage, type StoredImage } from "../../store/qr-codes.ts";
import { createHandlers } from "../context.ts";
import { pathParam } from "../middleware/input.ts";

/** An SVG is a document: opened by itself, it may run, load and submit nothing. */
const SVG_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export const getQrImageRoute = createHandlers(async (c) => {
  const image = await readImage(c.env, pathParam(c, "name"), c.req.raw.headers);
  if (!image) throw new ApiError("not_found");
  return image.body
    ? new Response(image.body, { headers: { ...imageHeaders(image), "Content-Length": String(image.size) } })
    : new Response(null, { status: 304, headers: imageHeaders(image) });
});

function imageHeaders({ httpEtag, httpMetadata }: StoredImage): Record<string, string> {
  const { contentType, cacheControl } = httpMetadata ?? {};
  return {
    ETag: httpEtag,
    // Pages of any site may draw the image on a canvas. It is public already.
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
    ...(contentType ? { "Content-Type": contentType } : {}),
    ...(cacheControl ? { "Cache-Control": cacheControl } : {}),
    ...(contentType === "image/svg+xml" ? { "Content-Security-Policy": SVG_CSP } : {}),
  };
}
