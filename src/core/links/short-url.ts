/** Reads short URLs as people paste them: with or without scheme, with a query or a final slash. Pure. */
import { parseUrl } from "../untrusted-url.ts";

/** @returns null when the text is not a URL with a path */
export function parseShortUrl(text: string): { domain: string; slug: string } | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const slug = url?.pathname.slice(1).replace(/\/$/, "");
  return url && slug ? { domain: url.host.replace(/\.(?=:|$)/, ""), slug } : null;
}
