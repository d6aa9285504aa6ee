/**
 * Website icons, stored in R2 under a hash of their host: nothing in the bucket shows whose links use them. An icon is
 * fetched once a month. If none was found, it is tried again after a day: the site may have been down. Without a
 * bucket, icons are in the data center's cache, where that works (not on workers.dev), and in browsers for a day.
 */
import { DAY_MS } from "../core/time.ts";
import { hexOf, sha256 } from "../core/encoding/bytes.ts";
import { imageBucket } from "./images/images.ts";
import { readPageHead } from "./remote/page-head.ts";
import { fetchPublicFile, fetchPublicImage, type PublicImage } from "./remote/public-web.ts";

const CACHE = "favicons";
const KEPT_MS = 30 * DAY_MS;
const MISS_KEPT_MS = DAY_MS;
const ICON_MAX_BYTES = 64 * 1024;
const PAGE_MAX_BYTES = 256 * 1024;

/** @returns null when the icon was never fetched, or too long ago */
export async function readIcon(env: Env, host: string): Promise<PublicImage | null> {
  const [bucket, hash] = [imageBucket(env), hexOf(await sha256(host))];
  return bucket ? readFromBucket(bucket, hash) : readFromCache(hash);
}

/** Fetches an icon and stores it; if there is none, stores an empty object. */
export async function fetchIcon(env: Env, host: string): Promise<PublicImage> {
  const icon = (await findIcon(env, host)) ?? { bytes: new ArrayBuffer(0), type: "" };
  const [bucket, hash] = [imageBucket(env), hexOf(await sha256(host))];
  await (bucket ? keepInBucket(bucket, hash, icon) : keepInCache(hash, icon));
  return icon;
}

async function readFromBucket(bucket: R2Bucket, hash: string): Promise<PublicImage | null> {
  const stored = await bucket.get(`favicons/${hash}`);
  if (!stored || Date.now() - stored.uploaded.getTime() > keptMs(stored.size)) return null;
  return { bytes: await stored.arrayBuffer(), type: stored.httpMetadata?.contentType ?? "" };
}

async function keepInBucket(bucket: R2Bucket, hash: string, { bytes, type }: PublicImage): Promise<void> {
  await bucket.put(`favicons/${hash}`, bytes, { httpMetadata: { contentType: type } });
}

async function readFromCache(hash: string): Promise<PublicImage | null> {
  const response = await (await caches.open(CACHE)).match(cacheKey(hash));
  return response ? { bytes: await response.arrayBuffer(), type: response.headers.get("Content-Type") ?? "" } : null;
}

async function keepInCache(hash: string, { bytes, type }: PublicImage): Promise<void> {
  const maxAge = keptMs(bytes.byteLength) / 1_000;
  const headers = { "Content-Type": type, "Cache-Control": `public, max-age=${maxAge}` };
  await (await caches.open(CACHE)).put(cacheKey(hash), new Response(bytes, { headers }));
}

function keptMs(size: number): number {
  return size === 0 ? MISS_KEPT_MS : KEPT_MS;
}

/** The cache uses URLs as names. */
function cacheKey(hash: string): string {
  return `https://favicons.invalid/${hash}`;
}

async function findIcon(env: Env, host: string): Promise<PublicImage | null> {
  const limits = { maxBytes: PAGE_MAX_BYTES, longer: "cut", accept: "text/html" } as const;
  const page = await fetchPublicFile(env, `https://${host}/`, limits);
  const named = page ? (await readPageHead(page)).icons[0] : undefined;
  return (
    (named && (await fetchPublicImage(env, named, ICON_MAX_BYTES))) ||
    fetchPublicImage(env, `https://${host}/favicon.ico`, ICON_MAX_BYTES)
  );
}
