/** Images in R2, with what the bucket's own domain sends in their headers. */
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { imageType } from "../../core/qr/token.ts";
import type { ImageStore } from "./images.ts";

export const IMAGE_CACHE_CONTROL = "public, max-age=31536000, immutable";

/** The bucket; undefined where the deployment has none: `wrangler types` takes it for granted. */
export function imageBucket({ QR_IMAGES }: Pick<Env, "QR_IMAGES">): R2Bucket | undefined {
  return QR_IMAGES;
}

export function bucketImages(bucket: R2Bucket): ImageStore {
  return {
    put: async (name, bytes) => {
      const httpMetadata = { contentType: imageType(name), cacheControl: IMAGE_CACHE_CONTROL };
      return (await bucket.put(name, bytes, { onlyIf: { etagDoesNotMatch: "*" }, httpMetadata })) !== null;
    },
    get: async (name, ifNoneMatch) => {
      const object = await bucket.get(name);
      if (!object) return null;
      const { httpEtag: etag, size, body } = object;
      // Compared here: R2 throws at a header that it cannot parse.
      if (ifNoneMatch === null || !hasCurrentEtag(ifNoneMatch, etag)) return { etag, size, body };
      await body.cancel();
      return { etag, size, body: null };
    },
  };
}
