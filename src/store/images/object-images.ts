/**
 * Calls to the objects that keep images where the deployment has no bucket. An image's name says which one has it: reads
 * know nothing else. The objects are few, so that names which somebody makes up do not create more of them.
 */
import { crc32 } from "../../core/encoding/crc32.ts";
import { imageBucket } from "./bucket-images.ts";
import type { ImageStore } from "./images.ts";

/** Each holds 10 GB. */
const SHARDS = 16;

export function objectImages(env: Env): ImageStore {
  const objectOf = (name: string) => shard(env, crc32(new TextEncoder().encode(name)) % SHARDS);
  return {
    put: (name, bytes) => objectOf(name).put(name, bytes),
    get: (name, ifNoneMatch) => objectOf(name).get(name, ifNoneMatch),
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
  return env.IMAGE_OBJECTS.getByName(`images-${number}`);
}
