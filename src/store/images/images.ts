/**
 * Images of QR codes, which never change, and are deleted with their account alone: in R2 where the deployment has a
 * bucket, else in objects.
 * Once a bucket is bound, new images go there, and those of the objects move: each is copied before it is deleted.
 */
import { crc32 } from "../../core/encoding/bytes.ts";
import { regionOf } from "../../core/deployment/settings.ts";
import { hasCurrentEtag } from "../../core/http/entity-tags.ts";
import { imageType } from "../../core/qr/token.ts";

/** A stored image. `body` is null when the caller's copy is current. */
export interface StoredImage {
  etag: string;
  size: number;
  body: ReadableStream | Uint8Array<ArrayBuffer> | null;
}

export interface ImageStore {
  /** @returns false when there is an image of that name, which then stays as it is */
  put(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * @param ifNoneMatch  header of a conditional request, as it was sent
   * @returns null when there is no such image
   */
  get(name: string, ifNoneMatch: string | null): Promise<StoredImage | null>;
  delete(names: readonly string[]): Promise<void>;
}

export function imageStore(env: Env): ImageStore {
  const bucket = imageBucket(env);
  return bucket ? withMovingImages(bucketImages(bucket), objectImages(env)) : objectImages(env);
}

/** Reads the bucket again at the end: the image may have moved there after the first look. */
function withMovingImages(bucket: ImageStore, objects: ImageStore): ImageStore {
  return {
    put: (name, bytes) => bucket.put(name, bytes),
    get: async (name, ifNoneMatch) =>
      (await bucket.get(name, ifNoneMatch)) ?? (await objects.get(name, ifNoneMatch)) ?? bucket.get(name, ifNoneMatch),
    // The objects first: what they move afterwards is not there any more.
    delete: async (names) => {
      await objects.delete(names);
      await bucket.delete(names);
    },
  };
}

/** As the bucket's own domain sends it. */
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
    delete: (names) => bucket.delete([...names]),
  };
}

/**
 * Images in objects. A name says which one has it: reads know nothing else. The objects are few, so that names which
 * somebody makes up do not create more of them.
 */

/** Each holds 10 GB. */
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

/** Images that objects keep, in all. */
export async function countImagesInObjects(env: Env): Promise<number> {
  const counts = await Promise.all(Array.from({ length: SHARDS }, (_, number) => shard(env, number).count()));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Begins to move what the objects keep into the bucket, where there is one. To be called once a day. */
export async function moveImagesToBucket(env: Env): Promise<void> {
  if (!imageBucket(env)) return;
  await Promise.all(Array.from({ length: SHARDS }, (_, number) => shard(env, number).moveToBucket()));
}

function shard(env: Env, number: number) {
  return env.IMAGE_OBJECTS.getByName(`images-${number}`, regionOf(env));
}
