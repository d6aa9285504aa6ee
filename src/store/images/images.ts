/**
 * QR code images, which never change, and are deleted only with their account: stored in R2 if the deployment has a
 * bucket, else in objects. Once a bucket is bound, new images are stored there, and existing ones move: each is copied
 * before it is deleted.
 */
import { crc32 } from "../../core/encoding/bytes.ts";
import { regionOf } from "../../core/deployment/settings.ts";
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { imageType } from "../../core/images/image-names.ts";

/** A stored image. `body` is null when the caller's copy is current. */
export interface StoredImage {
  etag: string;
  size: number;
  body: ReadableStream | Uint8Array<ArrayBuffer> | null;
}

export interface ImageStore {
  /** @returns false when an image with that name exists, which then stays unchanged */
  put(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * @param ifNoneMatch  header of a conditional request, as sent
   * @returns null when there is no such image
   */
  get(name: string, ifNoneMatch: string | null): Promise<StoredImage | null>;
  delete(names: readonly string[]): Promise<void>;
}

export function imageStore(env: Env): ImageStore {
  const bucket = imageBucket(env);
  return bucket ? withMovingImages(bucketImages(bucket), objectImages(env)) : objectImages(env);
}

/** Reads the bucket again at the end: the image may have moved there after the first read. */
function withMovingImages(bucket: ImageStore, objects: ImageStore): ImageStore {
  return {
    put: (name, bytes) => bucket.put(name, bytes),
    get: async (name, ifNoneMatch) =>
      (await bucket.get(name, ifNoneMatch)) ?? (await objects.get(name, ifNoneMatch)) ?? bucket.get(name, ifNoneMatch),
    // Deletes from the objects first, so that they cannot move the images to the bucket afterwards.
    delete: async (names) => {
      await objects.delete(names);
      await bucket.delete(names);
    },
  };
}

/** The header that the bucket's own domain sends. */
export const IMAGE_CACHE_CONTROL = "public, max-age=31536000, immutable";

/** The bucket; undefined if the deployment has none, which the type from `wrangler types` does not allow for. */
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
      // Compared here because R2 throws on a header that it cannot parse.
      if (ifNoneMatch === null || !hasCurrentEtag(ifNoneMatch, etag)) return { etag, size, body };
      await body.cancel();
      return { etag, size, body: null };
    },
    delete: (names) => bucket.delete([...names]),
  };
}

/**
 * Images in objects. A name alone determines its object. The number of objects is fixed, so that invented names do not
 * create more of them.
 */

/** Each can hold 10 GB. */
const SHARDS = 16;

function objectImages(env: Env): ImageStore {
  const shardOf = (name: string) => crc32(new TextEncoder().encode(name)) % SHARDS;
  return {
    put: (name, bytes) => shard(env, shardOf(name)).put(name, bytes),
    get: (name, ifNoneMatch) => shard(env, shardOf(name)).get(name, ifNoneMatch),
    delete: async (names) => {
      const byShard = Map.groupBy(names, shardOf);
      await Promise.all([...byShard].map(([number, held]) => shard(env, number).delete(held)));
    },
  };
}

/** Total number of images in objects. */
export async function countImagesInObjects(env: Env): Promise<number> {
  const counts = await Promise.all(Array.from({ length: SHARDS }, (_, number) => shard(env, number).count()));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Starts moving the objects' images into the bucket, if there is one. Called once a day. */
export async function moveImagesToBucket(env: Env): Promise<void> {
  if (!imageBucket(env)) return;
  await Promise.all(Array.from({ length: SHARDS }, (_, number) => shard(env, number).moveToBucket()));
}

function shard(env: Env, number: number) {
  return env.IMAGE_OBJECTS.getByName(`images-${number}`, regionOf(env));
}
