/** Reads short URLs as people paste them: with or without scheme, with a query or a final slash. Pure. */
import { decodePath } from "./path-slug.ts";
import { belowTestPath, testPathDomain } from "./test-path.ts";
import { parseUrl } from "../untrusted-url.ts";

/** @returns null when the text is not a URL with a path that can be decoded */
export function parseShortUrl(text: string): { domain: string; slug: string } | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const slug = url?.pathname.slice(1).replace(/\/$/, "");
  if (!url || !slug) return null;
  const host = url.host.replace(/\.(?=:|$)/, "");
  const testPath = belowTestPath(slug);
  const decoded = decodePath(testPath ?? slug);
  if (!decoded) return null;
  return { domain: testPath === null ? host : testPathDomain(host), slug: decoded };
}
