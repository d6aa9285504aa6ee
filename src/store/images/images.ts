/**
 * Images of QR codes, which are never changed and never deleted: in R2 where the deployment has a bucket, else in objects.
 * Once a bucket is bound, new images go there, and those of the objects move: each is copied before it is deleted.
 */
import { bucketImages, imageBucket } from "./bucket-images.ts";
import { objectImages } from "./object-images.ts";

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
  };
}
