/**
 * What is stored of a link that was taken over, for a retry with the same `Idempotency-Key`: only what the request does
 * not say itself, so that erasing a link need not look through stored responses.
 */
import { TakeOverLink } from "../../core/contract/inherited-links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { JsonResponse } from "../json-response.ts";
import { linkResponse, toNewLink } from "../links/wire.ts";
import type { RequestContext } from "../middleware/input.ts";

type StoredLink = [id: string, createdAt: number, revision: number, domain: string, slug: string];

export function storedLinkOf({ id, createdAt, revision, domain, slug }: LinkRecord): StoredLink {
  return [id, createdAt, revision, domain, slug];
}

export function restoreLinkResponse(sent: unknown, stored: unknown, context: RequestContext): JsonResponse {
  const [id, createdAt, revision, domain, slug] = stored as StoredLink;
  const wanted = toNewLink({ ...TakeOverLink.parse(sent), domain }, context);
  return linkResponse({ ...wanted, slug, id, createdAt, updatedAt: createdAt, revision }, context.hosts, 201);
}
