/** Links that a former holder made on a domain of the caller's: list, disable, take over. */
import { Hono } from "hono";

import { type CreateLink, Link } from "../../core/contract/links.ts";
import {
  InheritedLink,
  InheritedLinkPage,
  ListInheritedLinksQuery,
  SlugInPath,
  TakeOverLink,
} from "../../core/contract/inherited-links.ts";
import { ApiError } from "../../core/errors.ts";
import { type Hosts, shortUrl } from "../../core/hosts.ts";
import { linkProblems, candidateDomains, writesRules } from "../../core/links/link-validation.ts";
import { timestamp } from "../../core/timestamp.ts";
import { type DomainRecord } from "../../store/domains/domain-rows.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import {
  disableInheritedLink,
  type InheritedLinkRecord as InheritedRecord,
  listInheritedLinks,
  takeOverLink,
} from "../../store/links/inherited-links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc, documented } from "../openapi/route-doc.ts";
import { loadDomain } from "../domains/routes.ts";
import { type RequestContext, body, noQuery, query } from "../middleware/input.ts";
import { linkResponse, toNewLink } from "../links/routes.ts";
import { idempotent, type JsonResponse, respondJson } from "../middleware/idempotency.ts";

const slugParam = documented((_, next) => next(), { params: { slug: SlugInPath } });

export const inheritedLinkRoutes = new Hono<ApiEnv>()
  .get(
    "/domains/:id/links",
    access("domains:read"),
    routeDoc({
      id: "listInheritedLinks",
      tag: "Domains",
      summary: "List inherited links",
      description:
        "Links on the domain that its former holder made, by slug, deleted ones included. Your own are listed by `GET /v1/links?domain=`.",
      ok: { status: 200, description: "A page of links.", schema: InheritedLinkPage },
      errors: ["domain_not_verified"],
    }),
    loadDomain,
    query(ListInheritedLinksQuery),
    async (c) => {
      const { caller, domain, hosts } = c.var;
      requireVerifiedDomain(domain);
      const { links, nextCursor } = await listInheritedLinks(c.env, caller, domain.domain, c.req.valid("query"));
      const page: InheritedLinkPage = {
        data: links.map((link) => wireInheritedLink(link, hosts)),
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
      };
      return c.json(page, 200);
    },
  )
  .post(
    "/domains/:id/links/:slug/disable",
    access("domains:write"),
    routeDoc({
      id: "disableInheritedLink",
      tag: "Domains",
      summary: "Disable an inherited link",
      description: "Its short URL answers 410 everywhere within ten seconds. Its former holder cannot undo that.",
      ok: { status: 200, description: "The link as it is now.", schema: InheritedLink },
      errors: ["domain_not_verified", "link_not_found"],
    }),
    loadDomain,
    slugParam,
    noQuery,
    async (c) => {
      const { caller, domain, hosts } = c.var;
      requireVerifiedDomain(domain);
      const slug = c.req.param("slug");
      const link = await disableInheritedLink(c.env, c.executionCtx, caller, domain.domain, slug);
      return c.json(wireInheritedLink(link, hosts), 200);
    },
  )
  .post(
    "/domains/:id/links/:slug/take-over",
    access("links:write"),
    routeDoc({
      id: "takeOverLink",
      tag: "Domains",
      summary: "Take an inherited link over",
      description:
        "Ends the link and makes a new one of yours at the same address, which counts its clicks from zero. What the old one counted stays its owner's. Scans of QR codes that were printed for the old one count as clicks.",
      ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["domain_not_verified", "link_not_found", "quota_exceeded", "idempotency_conflict"],
    }),
    loadDomain,
    slugParam,
    body(TakeOverLink, {
      needsPremium: writesRules,
      restoreResponse: restoreLinkResponse,
      problems: async (sent, { hosts, caller }, env) =>
        linkProblems(sent, hosts, await findKnownDomains(env, caller, candidateDomains([sent])), Date.now()),
    }),
    (c) =>
      idempotent(c, async () => {
        const { caller, domain, hosts, idempotentRequest } = c.var;
        requireVerifiedDomain(domain);
        const sent: CreateLink = c.req.valid("json");
        const wanted = { ...toNewLink(c.var, { ...sent, domain: domain.domain }), slug: c.req.param("slug") };
        const made = await takeOverLink(c.env, c.executionCtx, caller, wanted, idempotentRequest, storedLinkOf);
        return respondJson(c, linkResponse(made, hosts, 201));
      }),
  );

/** What a request that is sent again does not say itself: nothing that a link's erasing would have to look for. */
type StoredLink = [id: string, createdAt: number, revision: number, domain: string, slug: string];

function storedLinkOf({ id, createdAt, revision, domain, slug }: LinkRecord): StoredLink {
  return [id, createdAt, revision, domain, slug];
}

function restoreLinkResponse(sent: unknown, stored: unknown, context: RequestContext): JsonResponse {
  const [id, createdAt, revision, domain, slug] = stored as StoredLink;
  const wanted = toNewLink(context, { ...TakeOverLink.parse(sent), domain });
  return linkResponse({ ...wanted, slug, id, createdAt, updatedAt: createdAt, revision }, context.hosts, 201);
}

/** @throws ApiError domain_not_verified */
function requireVerifiedDomain({ domain, verifiedAt }: DomainRecord): void {
  if (verifiedAt !== null) return;
  throw new ApiError("domain_not_verified", `${domain} is not verified: set its records, then retrieve it`);
}

function wireInheritedLink({ slug, domain, state, createdAt }: InheritedRecord, hosts: Hosts): InheritedLink {
  return { slug, domain, short_url: shortUrl(domain, slug, hosts), state, created_at: timestamp(createdAt) };
}
