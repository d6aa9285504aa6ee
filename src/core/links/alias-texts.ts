/**
 * Aliases as texts, in cells of files, options and plans: `domain/slug`, or a slug without `/`, which is on the link's
 * own domain. Pure.
 */
import { decodePath } from "../hosts.ts";

export interface TypedAlias {
  slug: string;
  domain?: string | undefined;
}

export function aliasText({ domain, slug }: TypedAlias): string {
  return domain === undefined ? slug : `${domain}/${slug}`;
}

/** Also reads short URLs. */
export function aliasOf(text: string): { slug: string; domain?: string } {
  const address = text.trim().replace(/^https?:\/\//i, "");
  const slash = address.indexOf("/");
  const slug = address.slice(slash + 1);
  return { slug: decodePath(slug) ?? slug, ...(slash >= 0 && { domain: address.slice(0, slash) }) };
}

/** Separated by commas, semicolons, bars or spaces, which no slug contains. */
export function aliasesIn(cell: string): ReturnType<typeof aliasOf>[] {
  return cell
    .split(/[\s,;|]+/)
    .filter((text) => text !== "")
    .map(aliasOf);
}
