/**
 * Previews of web pages. Reads a page's metadata from its head: title, description, Open Graph, icons.
 *
 * Icons are stored in R2 under a hash of their host: nothing in the bucket shows whose links use them. An icon is
 * fetched once a month. If none was found, it is tried again after a day: the site may have been down. Without a
 * bucket, icons are in the data center's cache, where that works (not on workers.dev), and in browsers for a day.
 */
import type { PagePreview } from "../../core/contract/dashboard.ts";
import { hexOf, sha256 } from "../../core/encoding/bytes.ts";
import { fetchableUrl } from "../../core/http/public-web.ts";
import { DAY_MS } from "../../core/time.ts";
import { imageBucket } from "../images/images.ts";
import { type FetchedFile, fetchPublicFile, fetchPublicImage, type PublicImage } from "./public-web.ts";

interface PageHead {
  /** Contents by `property` or `name`, in lower case; the first of each. */
  metas: ReadonlyMap<string, string>;
  title: string | null;
  /** Absolute URLs of the icons, the preferred one first. */
  icons: string[];
}

const METAS_MAX = 100;
const ICONS_MAX = 10;
const TEXT_MAX_CHARS = 300;

async function readPageHead({ url, bytes }: FetchedFile): Promise<PageHead> {
  const metas = new Map<string, string>();
  const icons: { href: string; score: number }[] = [];
  let title = "";
  let titles = 0;
  const rewriter = new HTMLRewriter()
    .on("meta", {
      element(meta) {
        const name = (meta.getAttribute("property") ?? meta.getAttribute("name") ?? "").toLowerCase();
        const content = meta.getAttribute("content");
        if (name === "" || content === null || metas.size >= METAS_MAX || metas.has(name)) return;
        metas.set(name, cleanText(content));
      },
    })
    // SVG drawings in the body also have titles.
    .on("title", {
      element() {
        titles++;
      },
      text(piece) {
        if (titles === 1 && title.length < TEXT_MAX_CHARS) title += piece.text;
      },
    })
    .on("link", {
      element(link) {
        const href = link.getAttribute("href");
        const score = iconScore(link.getAttribute("rel"), link.getAttribute("type"), href);
        if (href !== null && score > 0 && icons.length < ICONS_MAX) icons.push({ href, score });
      },
    });
  try {
    await rewriter.transform(new Response(bytes)).arrayBuffer();
  } catch (error) {
    // The parser rejects thousands of nested elements. Everything read before them is used.
    console.warn("page not read to its end", { error: String(error) });
  }
  return {
    metas,
    title: title === "" ? null : cleanText(title),
    icons: icons
      .toSorted((one, other) => other.score - one.score)
      .flatMap(({ href }) => fetchableUrl(href, url)?.href ?? []),
  };
}

/** Scores an icon; 0 for none. SVG icons are documents, which this service does not forward; Apple's are large. */
function iconScore(rel: string | null, type: string | null, href: string | null): number {
  const words = (rel ?? "").toLowerCase().split(/\s+/);
  if (type === "image/svg+xml" || /\.svg(\?|$)/i.test(href ?? "")) return 0;
  if (words.includes("icon")) return 2;
  return words.includes("apple-touch-icon") ? 1 : 0;
}

/** One line of bounded length, with character references decoded as far as titles use them. */
function cleanText(text: string): string {
  return text
    .replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi, (all, name: string) =>
      decodeReference(all, name),
    )
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_MAX_CHARS);
}

const NAMED_REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decodeReference(all: string, name: string): string {
  const named = NAMED_REFERENCES[name.toLowerCase()];
  if (named !== undefined) return named;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
}

const PAGE_MAX_BYTES = 512 * 1024;

/** Reads how a page appears when shared. @returns null when it cannot or must not be fetched */
export async function readPreview(env: Env, url: string): Promise<PagePreview | null> {
  const limits = { maxBytes: PAGE_MAX_BYTES, longer: "cut", accept: "text/html" } as const;
  const page = await fetchPublicFile(env, url, limits);
  if (!page) return null;
  const { metas, title } = await readPageHead(page);
  const image = metas.get("og:image") ?? metas.get("twitter:image");
  return {
    fetched: true,
    title: metas.get("og:title") ?? metas.get("twitter:title") ?? title,
    description: metas.get("og:description") ?? metas.get("twitter:description") ?? metas.get("description") ?? null,
    site_name: metas.get("og:site_name") ?? null,
    image: (image && fetchableUrl(image, page.url)?.href) ?? null,
  };
}

const CACHE = "favicons";
const KEPT_MS = 30 * DAY_MS;
const MISS_KEPT_MS = DAY_MS;
const ICON_MAX_BYTES = 64 * 1024;
const ICON_PAGE_MAX_BYTES = 256 * 1024;

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
  const limits = { maxBytes: ICON_PAGE_MAX_BYTES, longer: "cut", accept: "text/html" } as const;
  const page = await fetchPublicFile(env, `https://${host}/`, limits);
  const named = page ? (await readPageHead(page)).icons[0] : undefined;
  return (
    (named && (await fetchPublicImage(env, named, ICON_MAX_BYTES))) ||
    fetchPublicImage(env, `https://${host}/favicon.ico`, ICON_MAX_BYTES)
  );
}
