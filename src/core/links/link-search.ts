/**
 * Addresses of links as people type them: pasted short URLs, aliases, and texts that are matched case-insensitively.
 * Pure.
 */
import { parseUrl, decodePath, belowTestPath, testPathDomain } from "../hosts.ts";

/**
 * Reads a short URL with or without scheme, with a query or a final slash.
 * @returns null when the text is not a URL with a path that can be decoded
 */
export function parseShortUrl(text: string): { domain: string; slug: string } | null {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const slug = url?.pathname.slice(1).replace(/\/$/, "");
  if (!url || !slug) return null;
  const host = url.host.replace(/\.(?=:|$)/, "");
  const testPath = belowTestPath(slug);
  const decoded = decodePath(testPath ?? slug);
  if (decoded === null) return null;
  return { domain: testPath === null ? host : testPathDomain(host), slug: decoded };
}

/** A search text in lower case, and the replacements to make in a text before searching it. */
interface FoldedSearch {
  text: string;
  replacements: [from: string, to: string][];
}

/**
 * For a database that folds ASCII only. Folds letter by letter. A letter whose other case has several letters, such as
 * `ß`, is left unchanged.
 */
export function foldSearch(search: string): FoldedSearch {
  const replacements = new Map<string, string>();
  const text = Array.from(search, (char) => {
    const folded = foldLetter(char);
    for (const form of [char, folded.toUpperCase(), ...(FORMS.get(folded) ?? [])]) {
      const isOneLetter = Array.from(form).length === 1 && form > "\x7f";
      if (form !== folded && isOneLetter) replacements.set(form, folded);
    }
    return folded;
  }).join("");
  return { text, replacements: [...replacements] };
}

/** Letters with more than two forms. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map([["σ", ["ς"]]]);

function foldLetter(char: string): string {
  const folded = char.toUpperCase().toLowerCase();
  return Array.from(folded).length === 1 ? folded : char;
}

/**
 * Aliases as texts, in cells of files, options and plans: `domain/slug`, or a slug on the link's own domain, which
 * begins with `/` if it contains one.
 */

export interface TypedAlias {
  slug: string;
  domain?: string | undefined;
}

export function aliasText({ domain, slug }: TypedAlias): string {
  if (domain === undefined) return slug.includes("/") ? `/${slug}` : slug;
  return `${domain}/${slug}`;
}

/** Also reads short URLs. */
export function aliasOf(text: string): { slug: string; domain?: string } {
  const address = text.trim().replace(/^https?:\/\//i, "");
  const slash = address.indexOf("/");
  const slug = address.slice(slash + 1);
  return { slug: decodePath(slug) ?? slug, ...(slash > 0 && { domain: address.slice(0, slash) }) };
}

/** Separated by commas, semicolons, bars or spaces, which no slug contains. */
export function aliasesIn(cell: string): ReturnType<typeof aliasOf>[] {
  return cell
    .split(/[\s,;|]+/)
    .filter((text) => text !== "")
    .map(aliasOf);
}
