/**
 * Fetches public web pages and images on behalf of people. Redirects, bytes and time are limited. A host that resolves
 * to a private address is refused, at every redirect. Cloudflare's network never reaches private addresses; a
 * self-hosted runtime might. A hostile DNS server could change its answer between the check and the fetch: then only
 * the runtime's own network settings protect.
 */
import { fetchableUrl, isPublicAddress } from "../../core/http/public-web.ts";
import { createResolver, type DnsLookup } from "./dns.ts";

export interface FetchedFile {
  /** The URL after redirects. */
  url: URL;
  bytes: Uint8Array<ArrayBuffer>;
}

interface FetchLimits {
  /** Maximum bytes to read. */
  maxBytes: number;
  /** Whether a longer file is truncated or refused. */
  longer: "cut" | "refused";
  accept: string;
}

/** Without bytes if there is no image. */
export interface PublicImage {
  bytes: ArrayBuffer;
  type: string;
}

const REDIRECTS_MAX = 3;
const TIMEOUT_MS = 5_000;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Contains "bot", so that shorteners, including this one, count no visitor. */
const USER_AGENT = "Mozilla/5.0 (compatible; HoplinkPreviewBot/1.0)";

/** @returns null when the file cannot or must not be fetched; never throws */
export async function fetchPublicFile(env: Env, text: string, limits: FetchLimits): Promise<FetchedFile | null> {
  const lookup = createResolver(env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    let url = fetchableUrl(text);
    for (let hop = 0; url && hop <= REDIRECTS_MAX; hop++) {
      if (!(await leadsToPublicAddress(lookup, url))) return null;
      const headers = { Accept: limits.accept, "User-Agent": USER_AGENT };
      const response = await fetch(url, { redirect: "manual", signal, headers });
      const next = REDIRECT_STATUSES.has(response.status) ? response.headers.get("Location") : null;
      if (next === null) return response.ok ? await readFile(url, response, limits) : await discard(response);
      await discard(response);
      url = fetchableUrl(next, url);
    }
  } catch (error) {
    console.warn("not fetched", { error: String(error) });
  }
  return null;
}

/** The server's declared type is not trusted: other kinds of bytes would be served from this service's host. */
const SIGNATURES: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/x-icon", at: 0, bytes: [0x00, 0x00, 0x01, 0x00] },
  // "RIFF", four bytes of length, "WEBP".
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** @returns null for anything but the types above, including SVG, which is a document with scripts */
export async function fetchPublicImage(env: Env, url: string, maxBytes: number): Promise<PublicImage | null> {
  const file = await fetchPublicFile(env, url, { maxBytes, longer: "refused", accept: "image/*" });
  const known = SIGNATURES.find(({ at, bytes }) => bytes.every((byte, i) => file?.bytes[at + i] === byte));
  return file && known ? { bytes: file.bytes.buffer, type: known.type } : null;
}

async function leadsToPublicAddress(lookup: DnsLookup, { hostname }: URL): Promise<boolean> {
  const name = hostname.replace(/\.$/, "");
  const answers = await Promise.all([lookup(name, "A"), lookup(name, "AAAA")]);
  const addresses = answers.flatMap((answer) =>
    answer.kind === "answer" ? answer.records.filter(({ type }) => type === "A" || type === "AAAA") : [],
  );
  return addresses.length > 0 && addresses.every(({ data }) => isPublicAddress(data));
}

async function readFile(url: URL, response: Response, { maxBytes, longer }: FetchLimits): Promise<FetchedFile | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    chunks.push(new Uint8Array(chunk));
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  if (length > maxBytes && longer === "refused") return null;
  return { url, bytes: new Uint8Array(await new Blob(chunks).slice(0, maxBytes).arrayBuffer()) };
}

/** An unread body keeps its connection open. */
async function discard(response: Response): Promise<null> {
  await response.body?.cancel();
  return null;
}
