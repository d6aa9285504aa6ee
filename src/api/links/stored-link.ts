/**
 * What is stored of a created link for a retry with the same `Idempotency-Key`: only what the request does not say
 * itself, so that erasing a link need not look through stored responses.
 */
import type { CreateLink } from "../../core/contract/links.ts";
import type { NewLink } from "../../store/links/link-creation.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { RequestContext } from "../middleware/input.ts";
import { type LinkView, toNewLink } from "./wire.ts";

/** The slug only where it was generated. Time in epoch ms. */
export type StoredLink = [id: string, createdAt: number, slug?: string];

export function storedLinkOf(link: LinkRecord, wanted: NewLink): StoredLink {
  return wanted.slug === null ? [link.id, link.createdAt, link.slug] : [link.id, link.createdAt];
}

/** The link as it was created, whatever has changed since. */
export function restoreLink(
  [id, createdAt, generatedSlug]: StoredLink,
  sent: CreateLink,
  context: RequestContext,
): LinkView {
  const wanted = toNewLink(sent, context);
  return { ...wanted, slug: generatedSlug ?? wanted.slug ?? "", id, createdAt, updatedAt: createdAt, revision: 1 };
}
