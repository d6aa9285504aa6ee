/**
 * Icons of websites, kept in R2 under a hash of their host: nothing in the bucket says whose links lead there. An icon is
 * fetched once a month. Where none was found it is looked for once a day: the site may have been down.
 */
import { DAY_MS } from "../core/durations.ts";
import { imageTypeOf } from "../core/previews/image-type.ts";
import { readPageHead } from "./remote/page-head.ts";
import { fetchPublicFile } from "./remote/public-web.ts";

/** An icon, or an object without bytes: none was found. */
export interface StoredIcon {
  bytes: ArrayBuffer;
  type: string;
}

const KEPT_MS = 30 * DAY_MS;
const MISS_KEPT_MS = DAY_MS;
const ICON_MAX_BYTES = 64 * 1024;
const PAGE_MAX_BYTES = 256 * 1024;

/** @returns null when the icon was never fetched, or too long ago */
export async function readIcon(env: Env, host: string): Promise<StoredIcon | null> {
  const stored = await env.QR_IMAGES.get(await iconName(host));
  const keptMs = stored?.size === 0 ? MISS_KEPT_MS : KEPT_MS;
  if (!stored || Date.now() - stored.uploaded.getTime() > keptMs) return null;
  return { bytes: await stored.arrayBuffer(), type: stored.httpMetadata?.contentType ?? "" };
}

/** Fetches an icon and keeps it; without one, keeps an empty object. */
export async function fetchIcon(env: Env, host: string): Promise<StoredIcon> {
  const icon = (await findIcon(env, host)) ?? { bytes: new ArrayBuffer(0), type: "" };
  await env.QR_IMAGES.put(await iconName(host), icon.bytes, { httpMetadata: { contentType: icon.type } });
  return icon;
}

async function findIcon(env: Env, host: string): Promise<StoredIcon | null> {
  const limits = { maxBytes: PAGE_MAX_BYTES, longer: "cut", accept: "text/html" } as const;
  const page = await fetchPublicFile(env, `https://${host}/`, limits);
  const named = page ? (await readPageHead(page)).icons[0] : undefined;
  return (
    (named && (await fetchImage(env, named, ICON_MAX_BYTES))) ||
    fetchImage(env, `https://${host}/favicon.ico`, ICON_MAX_BYTES)
  );
}

/** @returns null for anything but an image of a known kind */
export async function fetchImage(env: Env, url: string, maxBytes: number): Promise<StoredIcon | null> {
  const file = await fetchPublicFile(env, url, { maxBytes, longer: "refused", accept: "image/*" });
  const type = file && imageTypeOf(file.bytes);
  return file && type ? { bytes: file.bytes.buffer, type } : null;
}

async function iconName(host: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(host));
  return `favicons/${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
