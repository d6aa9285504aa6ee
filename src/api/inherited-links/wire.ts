/** Inherited links on the wire. */
import type { InheritedLink, InheritedLinkPage } from "../../core/contract/inherited-links.ts";
import { type Hosts, shortUrl } from "../../core/hosts.ts";
import { typedSlug } from "../../core/links/stored-slug.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { InheritedLinkRecord } from "../../store/links/inherited-links.ts";

export function wireInheritedLink(
  { slug, domain, state, createdAt }: InheritedLinkRecord,
  hosts: Hosts,
): InheritedLink {
  return {
    slug: typedSlug(slug),
    domain,
    short_url: shortUrl(domain, slug, hosts),
    state,
    created_at: timestamp(createdAt),
  };
}

export function wireInheritedLinkPage(
  links: InheritedLinkRecord[],
  nextCursor: string | null,
  hosts: Hosts,
): InheritedLinkPage {
  return {
    data: links.map((link) => wireInheritedLink(link, hosts)),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}
