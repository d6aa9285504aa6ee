/**
 * What is stored of a created link for a retry with the same `Idempotency-Key`: only what the request does not say
 * itself, so that erasing a link need not look through stored responses.
 */
import type { CreateLink } from "../../core/contract/links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { RequestContext } from "../middleware/input.ts";
import { type LinkView, toNewLink } from "./wire.ts";

/**
 * Slug and domain only where the request names none: the slug was generated, and the default domain may be another one
 * at the retry, on another host or after the settings have changed. Time in epoch ms.
 */
export type StoredLink = [id: string, createdAt: number, slug: string | null, domain: string | null];

export function storedLinkOf(
  { id, createdAt, slug, domain }: LinkRecord,
  sent: Pick<CreateLink, "slug" | "domain">,
): StoredLink {
  return [id, createdAt, sent.slug === undefined ? slug : null, sent.domain === undefined ? domain : null];
}

/** The link as it was created, whatever has changed since. */
export function restoreLink(
  [id, createdAt, slug, domain]: StoredLink,
  sent: CreateLink,
  context: RequestContext,
): LinkView {
  const wanted = toNewLink(sent, context);
  return {
    ...wanted,
    slug: slug ?? wanted.slug ?? "",
    domain: domain ?? wanted.domain,
    id,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  };
}
