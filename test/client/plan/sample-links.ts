/** Files and links for tests of plans. */
import { type ParsedFile, parseLinksFile } from "../../../src/client/plan/parse.ts";
import type { CurrentLink, Situation } from "../../../src/client/plan/plan.ts";

export const DOMAIN = "hop.example";

export function currentLink(slug: string, more: Partial<CurrentLink> = {}): CurrentLink {
  return {
    id: `lnk_${slug}`,
    slug,
    domain: DOMAIN,
    short_url: `https://${more.domain ?? DOMAIN}/${slug}`,
    url: "https://example.com/",
    routing: [],
    expires_at: null,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    revision: 1,
    ...more,
  };
}

export function situation(links: readonly CurrentLink[] = [], more: Partial<Situation> = {}): Situation {
  return { at: Date.parse("2026-11-01"), defaultDomain: DOMAIN, isPremium: true, domains: new Map(), links, ...more };
}

export function parsed(text: string): ParsedFile {
  const read = parseLinksFile(text);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read;
}
