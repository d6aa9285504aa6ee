/** Links that a former holder made on a domain of the caller's: list, disable, take over. */
import { Hono } from "hono";

import {
  type CreateLink,
  InheritedLink,
  InheritedLinkPage,
  Link,
  ListInheritedLinksQuery,
  SlugInPath,
  TakeOverLink,
} from "../core/contract.ts";
import { ApiError } from "../core/errors.ts";
import { type Hosts, shortUrl } from "../core/hosts.ts";
import { linkProblems, namedDomains, writesRules } from "../core/link-rules.ts";
import { timestamp } from "../core/timestamp.ts";
import { type DomainRecord, knownDomains } from "../store/domains.ts";
import {
  disableInheritedLink,
  type InheritedLink as InheritedRecord,
  listInheritedLinks,
  takeOverLink,
} from "../store/inherited-links.ts";
import type { Answer } from "../store/idempotency.ts";
import type { LinkRecord } from "../store/link-rows.ts";
import { access } from "./access.ts";
import type { Api } from "./context.ts";
import { describe, documented } from "./describe.ts";
import { existingDomain } from "./domains.ts";
import { type Asked, body, noQuery, query } from "./input.ts";
import { linkAnswer, newLink } from "./links.ts";
import { onlyOnce, reply } from "./once.ts";

const slugParam = documented((_, next) => next(), { params: { slug: SlugInPath } });

export const inheritedLinks = new Hono<Api>()
  .get(
    "/domains/:id/links",
    access("domains:read"),
    describe({
      id: "listInheritedLinks",
      tag: "Domains",
      summary: "List inherited links",
      description:
        "Links on the domain that its former holder made, by slug, deleted ones included. Your own are listed by `GET /v1/links?domain=`.",
      ok: { status: 200, description: "A page of links.", schema: InheritedLinkPage },
      errors: ["domain_not_verified"],
    }),
    existingDomain,
    query(ListInheritedLinksQuery),
    async (c) => {
      const { caller, domain, hosts } = c.var;
      requireVerified(domain);
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
    describe({
      id: "disableInheritedLink",
      tag: "Domains",
      summary: "Disable an inherited link",
      description: "Its short URL answers 410 everywhere within ten seconds. Its former holder cannot undo that.",
      ok: { status: 200, description: "The link as it is now.", schema: InheritedLink },
      errors: ["domain_not_verified", "link_not_found"],
    }),
    existingDomain,
    slugParam,
    noQuery,
    async (c) => {
      const { caller, domain, hosts } = c.var;
      requireVerified(domain);
      const slug = c.req.param("slug");
      const link = await disableInheritedLink(c.env, c.executionCtx, caller, domain.domain, slug);
      return c.json(wireInheritedLink(link, hosts), 200);
    },
  )
  .post(
    "/domains/:id/links/:slug/take-over",
    access("links:write"),
    describe({
      id: "takeOverLink",
      tag: "Domains",
      summary: "Take an inherited link over",
      description:
        "Ends the link and makes a new one of yours at the same address, which counts its clicks from zero. What the old one counted stays its owner's. Scans of QR codes that were printed for the old one count as clicks.",
      ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["domain_not_verified", "link_not_found", "quota_exceeded", "idempotency_conflict"],
    }),
    existingDomain,
    slugParam,
    body(TakeOverLink, {
      premium: writesRules,
      rebuilt: rebuiltAnswer,
      problems: async (sent, { hosts, caller }, env) =>
        linkProblems(sent, hosts, await knownDomains(env, caller, namedDomains([sent])), Date.now()),
    }),
    (c) =>
      onlyOnce(c, async () => {
        const { caller, domain, hosts, once } = c.var;
        requireVerified(domain);
        const sent: CreateLink = c.req.valid("json");
        const wanted = { ...newLink(c.var, { ...sent, domain: domain.domain }), slug: c.req.param("slug") };
        const made = await takeOverLink(c.env, c.executionCtx, caller, wanted, once, keptLink);
        return reply(c, linkAnswer(made, hosts, 201));
      }),
  );

/** What a request that is sent again does not say itself: nothing that a link's erasing would have to look for. */
type KeptLink = [id: string, createdAt: number, revision: number, domain: string, slug: string];

function keptLink({ id, createdAt, revision, domain, slug }: LinkRecord): KeptLink {
  return [id, createdAt, revision, domain, slug];
}

function rebuiltAnswer(sent: unknown, kept: unknown, asked: Asked): Answer {
  const [id, createdAt, revision, domain, slug] = kept as KeptLink;
  const wanted = newLink(asked, { ...TakeOverLink.parse(sent), domain });
  return linkAnswer({ ...wanted, slug, id, createdAt, updatedAt: createdAt, revision }, asked.hosts, 201);
}

/** @throws ApiError domain_not_verified */
function requireVerified({ domain, verifiedAt }: DomainRecord): void {
  if (verifiedAt !== null) return;
  throw new ApiError("domain_not_verified", `${domain} is not verified: set its records, then retrieve it`);
}

function wireInheritedLink({ slug, domain, state, createdAt }: InheritedRecord, hosts: Hosts): InheritedLink {
  return { slug, domain, short_url: shortUrl(domain, slug, hosts), state, created_at: timestamp(createdAt) };
}
