/** The object that stores images of QR codes in deployments without a bucket. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import type { ImageObject } from "../../../src/images/image-object.ts";
import { imageStore } from "../../../src/store/images/images.ts";

afterEach(() => vi.restoreAllMocks());

const WAIT = { timeout: 30_000, interval: 20 };

let objects = 0;

/** An object in a deployment without a bucket, until `QR_IMAGES` is set. */
async function newObject() {
  const stub = env.IMAGE_OBJECTS.getByName(`test-${++objects}`);
  await bind(stub, undefined);
  return stub;
}

type Stub = ReturnType<Env["IMAGE_OBJECTS"]["getByName"]>;

function bind(stub: Stub, QR_IMAGES: R2Bucket | undefined): Promise<void> {
  return runInDurableObject(stub, (instance: ImageObject) => {
    Reflect.set(instance, "env", { ...env, QR_IMAGES });
  });
}

const newName = () => `qr_${crypto.randomUUID().replaceAll("-", "").slice(0, 26)}.png`;

function noise(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

/** Compared instead of the bytes: `toEqual` on megabytes takes half a minute. */
async function digest(bytes: Uint8Array<ArrayBuffer> | ArrayBuffer | null | undefined): Promise<string> {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes ?? new Uint8Array()))].join(" ");
}

/** Waits until an object has moved all its images. Its alarm runs automatically, or is run here early. */
function moved(stub: Stub): Promise<void> {
  return vi.waitFor(async () => {
    await runDurableObjectAlarm(stub);
    expect(await rows(stub)).toEqual([]);
  }, WAIT);
}

const rows = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string; bytes: number }>("SELECT name, length(bytes) AS bytes FROM images ORDER BY name, part")
      .toArray(),
  );

test("an image of several megabytes is stored in rows below the limit of 2 MB, and read whole", async () => {
  const object = await newObject();
  const [name, bytes] = [newName(), noise(2_500_000)];
  expect(await object.put(name, bytes)).toBe(true);
  expect((await rows(object)).map((row) => row.bytes)).toEqual([1_000_000, 1_000_000, 500_000]);
  const kept = await object.get(name, null);
  expect(kept?.size).toBe(bytes.length);
  expect(await digest(kept?.body)).toBe(await digest(bytes));
});

test("an existing name is never overwritten", async () => {
  const object = await newObject();
  const name = newName();
  expect(await object.put(name, new Uint8Array([1]))).toBe(true);
  expect(await object.put(name, new Uint8Array([2]))).toBe(false);
  expect((await object.get(name, null))?.body).toEqual(new Uint8Array([1]));
});

test("looking for unknown names stores nothing", async () => {
  const object = await newObject();
  expect(await object.get(newName(), null)).toBeNull();
  await bind(object, env.QR_IMAGES);
  await object.moveToBucket();
  const stored = await runInDurableObject(object, async (_, { storage }) => [
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    await storage.getAlarm(),
  ]);
  expect(stored).toEqual([[], null]);
});

test("an image that is read once there is a bucket moves there, with the same tag", async () => {
  const object = await newObject();
  const [name, bytes] = [newName(), noise(1_200_000)];
  await object.put(name, bytes);
  await bind(object, env.QR_IMAGES);
  const kept = await object.get(name, null);
  await moved(object);
  const copy = await env.QR_IMAGES.get(name);
  expect(await digest(await copy?.arrayBuffer())).toBe(await digest(bytes));
  expect(copy?.httpEtag).toBe(kept?.etag);
});

test("a bucket that fails leaves every image in the object, and is retried", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const object = await newObject();
  const names = [newName(), newName()];
  for (const name of names) await object.put(name, new Uint8Array([7]));
  const put = vi.fn(() => Promise.reject(new Error("put: internal error (10001)")));
  await bind(object, { put } as unknown as R2Bucket);
  await object.moveToBucket();
  await vi.waitFor(() => expect(put).toHaveBeenCalled(), WAIT);
  expect((await rows(object)).map(({ name }) => name)).toEqual(names.toSorted());
  await bind(object, env.QR_IMAGES);
  await moved(object);
});

test("an image that was copied before the object ended is deleted by the next run", async () => {
  const object = await newObject();
  const name = newName();
  await object.put(name, new Uint8Array([7]));
  await env.QR_IMAGES.put(name, new Uint8Array([7]));
  await bind(object, env.QR_IMAGES);
  await object.moveToBucket();
  await moved(object);
  expect(await env.QR_IMAGES.head(name)).not.toBeNull();
});

test("an image that moves between the look-up in the bucket and the one in the object is found", async () => {
  const [name, bytes] = [newName(), new Uint8Array([1, 2, 3])];
  await imageStore({ ...env, QR_IMAGES: undefined } as unknown as Env).put(name, bytes);
  let looks = 0;
  const get = async (key: string, ...rest: [R2GetOptions]) => {
    const found = await env.QR_IMAGES.get(key, ...rest);
    if (looks++ === 0) await moveAll();
    return found;
  };
  const found = await imageStore({ ...env, QR_IMAGES: { get } as unknown as R2Bucket }).get(name, null);
  expect([looks, found?.size]).toEqual([2, 3]);
  if (found?.body instanceof ReadableStream) await found.body.cancel();

  async function moveAll(): Promise<void> {
    const stubs = Array.from({ length: 16 }, (_, shard) => env.IMAGE_OBJECTS.getByName(`images-${shard}`));
    for (const stub of stubs) await stub.moveToBucket();
    await vi.waitFor(async () => expect(await env.QR_IMAGES.head(name)).not.toBeNull(), WAIT);
  }
});
