/** Reads short URLs as people paste them: with or without scheme, with a query or a final slash. Pure. */
import { belowTestPath, testPathDomain } from "./test-path.ts";
import { parseUrl } from "../untrusted-url.ts";

/** @returns null when the text is not a URL with a path */
export function parseShortUrl(text: string): { domain: string; slug: string } | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const slug = url?.pathname.slice(1).replace(/\/$/, "");
  if (!url || !slug) return null;
  const host = url.host.replace(/\.(?=:|$)/, "");
  const testSlug = belowTestPath(slug);
  return testSlug === null ? { domain: host, slug } : { domain: testPathDomain(host), slug: testSlug };
}
