/** Links: create one or many, list, retrieve, update, delete, and try a pretend visitor on one (spec 2.1, 4.1, 4.2). */
import { type Context, Hono, type MiddlewareHandler } from "hono";

import { BulkCreate, BulkEnvelope, BulkResult } from "../../core/contract/bulk-links.ts";
import {
  CreateLink,
  DeleteLinkQuery,
  Link,
  LinkId,
  LinkPage,
  ListLinksQuery,
  UpdateLink,
} from "../../core/contract/links.ts";
import { SimulatedVisitor, Resolution } from "../../core/contract/resolutions.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { type Hosts, shortUrl } from "../../core/hosts.ts";
import { BULK_LINKS_MAX } from "../../core/limits.ts";
import {
  anyWritesRules,
  linkDomainProblems,
  type KnownDomains,
  linkProblems,
  candidateDomains,
  writesRules,
} from "../../core/links/link-validation.ts";
import { routeKeys } from "../../core/links/link-snapshot.ts";
import { simulatedVisitor } from "../../core/visitors/simulated-visitor.ts";
import { chooseDestination, traceRules } from "../../core/links/routing.ts";
import { timestamp } from "../../core/timestamp.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { storeResponse } from "../../store/idempotency.ts";
import { deleteLink, eraseLink, readLinkOrTombstone } from "../../store/links/deleted-links.ts";
import { requireDomainNotTransferred } from "../../store/links/inherited-links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { listLinks } from "../../store/links/link-search.ts";
import { createLinks, type CreateLinkOutcome, type NewLink } from "../../store/links/link-creation.ts";
import {
  type ExpectedRevisions,
  type LinkChanges,
  RevisionMismatchError,
  readLink,
  updateLink,
} from "../../store/links/links.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc, documented } from "../openapi/route-doc.ts";
import { type ErrorDetail, errorDetail } from "../middleware/errors.ts";
import { type RequestContext, body, parseOrThrow, noQuery, query } from "../middleware/input.ts";
import { idempotent, type JsonResponse, respondJson } from "../middleware/idempotency.ts";

/** Looks the link up for the routes below `/links/:id`; they may trust that it is the caller's. */
export const loadLink: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("link", await readLink(c.env, c.var.caller, c.req.param("id") ?? ""));
    await next();
  },
  { params: { id: LinkId }, errors: ["link_not_found"] },
);

/** As `loadLink`; where the clicks are to be erased as well, also one that was deleted. */
const loadDeletableLink: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    const { caller } = c.var;
    const id = c.req.param("id") ?? "";
    const erases = c.req.query("erase") === "true";
    c.set("link", erases ? (await readLinkOrTombstone(c.env, caller, id)).link : await readLink(c.env, caller, id));
    await next();
  },
  { params: { id: LinkId }, errors: ["link_not_found"] },
);

const newLinkChecks = {
  needsPremium: writesRules,
  restoreResponse: (sent: unknown, kept: unknown, asked: RequestContext) =>
    linkResponse(restoreLink(asked, CreateLink.parse(sent), kept as StoredLink), asked.hosts, 201),
  problems: async (sent: unknown, asked: RequestContext, env: Env) =>
    newLinkProblems(sent, asked, await findKnownDomains(env, asked.caller, candidateDomains([sent]))),
};

export const linkRoutes = new Hono<ApiEnv>()
  .post(
    "/links",
    access("links:write"),
    routeDoc({
      id: "createLink",
      tag: "Links",
      summary: "Create a link",
      ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["slug_taken", "quota_exceeded", "idempotency_conflict"],
    }),
    body(CreateLink, newLinkChecks),
    (c) =>
      idempotent(c, async () => {
        const { hosts, idempotentRequest, caller } = c.var;
        const wanted = toNewLink(c.var, c.req.valid("json"));
        const [outcome] = await createLinks(c.env, caller, [wanted], idempotentRequest, ([made]) =>
          made && "link" in made ? storedLinkOf(made.link, wanted) : null,
        );
        if (!outcome || "taken" in outcome) throw slugTaken(wanted);
        if ("refusal" in outcome) throw outcome.refusal;
        return respondJson(c, linkResponse(outcome.link, hosts, 201));
      }),
  )
  .post(
    "/links/bulk",
    access("links:write"),
    routeDoc({
      id: "createLinks",
      tag: "Links",
      summary: `Create up to ${BULK_LINKS_MAX} links`,
      description:
        "Each link is made or refused for itself; where the account has no room for all, the first are made. Rules on the Free plan refuse the whole request.",
      ok: {
        status: 200,
        description: "One result for each link.",
        schema: BulkResult,
        headers: ["Idempotent-Replayed"],
      },
      requestHeaders: ["Idempotency-Key"],
      errors: ["quota_exceeded", "idempotency_conflict"],
    }),
    body(BulkEnvelope, {
      needsPremium: anyWritesRules,
      documentedAs: BulkCreate,
      restoreResponse: restoreBulkResponse,
    }),
    (c) =>
      idempotent(c, async () => {
        const { hosts, idempotentRequest, caller } = c.var;
        const { links: sent } = c.req.valid("json");
        const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
        const judged = sent.map((each) => validateBulkItem(c.var, each, known));
        const wanted = judged.flatMap((item) => ("wanted" in item ? [item.wanted] : []));
        const resultsOf = (outcomes: CreateLinkOutcome[]) => bulkResults(judged, outcomes);
        const outcomes = await createLinks(c.env, caller, wanted, idempotentRequest, (made) =>
          resultsOf(made).map(storedResultOf),
        );
        return respondJson(c, bulkResponse(resultsOf(outcomes), hosts));
      }),
  )
  .get(
    "/links",
    access("links:read"),
    routeDoc({
      id: "listLinks",
      tag: "Links",
      summary: "List links",
      description:
        "One page looks through a bounded number of links, so a page may be shorter than `limit`, or empty, although `has_more` is true: go on with `next_cursor` until it is null, and every match comes once.",
      ok: { status: 200, description: "A page of links.", schema: LinkPage },
    }),
    query(ListLinksQuery),
    async (c) => {
      const { links, nextCursor } = await listLinks(c.env, c.var.caller, c.req.valid("query"));
      const page: LinkPage = {
        data: links.map((link) => wireLink(link, c.var.hosts)),
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
      };
      return respondJson(c, { status: 200, headers: {}, body: page });
    },
  )
  .get(
    "/links/:id",
    access("links:read"),
    routeDoc({
      id: "getLink",
      tag: "Links",
      summary: "Retrieve a link",
      ok: { status: 200, description: "The link.", schema: Link, headers: ["ETag"] },
    }),
    loadLink,
    noQuery,
    (c) => respondJson(c, linkResponse(c.var.link, c.var.hosts, 200)),
  )
  .patch(
    "/links/:id",
    access("links:write"),
    routeDoc({
      id: "updateLink",
      tag: "Links",
      summary: "Update a link",
      description:
        "Atomic: all of the body is applied, or nothing. Busy isolates serve the change with their next click, every one within ten seconds.",
      ok: { status: 200, description: "The link as it is now.", schema: Link, headers: ["ETag"] },
      requestHeaders: ["If-Match"],
      errors: ["precondition_failed", "domain_transferred"],
    }),
    loadLink,
    body(UpdateLink, {
      needsPremium: writesRules,
      problems: async (sent, { hosts, caller }, env) =>
        linkProblems(sent, hosts, await findKnownDomains(env, caller, candidateDomains([sent])), null),
    }),
    async (c) => {
      const changes = changesOf(c.req.valid("json"));
      const expected = expectedRevisions(c);
      const { caller, hosts, link } = c.var;
      const nothing = Object.keys(changes).length === 0;
      if (!nothing && link.domain !== hosts.shortDomains[link.mode])
        await requireDomainNotTransferred(c.env, caller, link);
      if (nothing && expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
      const updated = nothing ? link : await updateLink(c.env, c.executionCtx, caller, link.id, changes, expected);
      return respondJson(c, linkResponse(updated, hosts, 200));
    },
  )
  .delete(
    "/links/:id",
    access("links:write"),
    routeDoc({
      id: "deleteLink",
      tag: "Links",
      summary: "Delete a link",
      description:
        "The short URL answers 410 from now on, and its slug is never issued again. Destination and rules are gone, the clicks are kept as the account's history. With `erase=true` they are erased as well, within minutes: this works for links too that were deleted before.",
      ok: { status: 204, description: "Deleted." },
      requestHeaders: ["If-Match"],
      errors: ["precondition_failed"],
    }),
    loadDeletableLink,
    query(DeleteLinkQuery),
    async (c) => {
      const end = c.req.valid("query").erase === "true" ? eraseLink : deleteLink;
      await end(c.env, c.executionCtx, c.var.caller, c.var.link.id, expectedRevisions(c));
      return c.body(null, 204);
    },
  )
  .post(
    "/links/:id/resolve",
    access("links:read"),
    routeDoc({
      id: "resolveLink",
      tag: "Links",
      summary: "Try a pretend visitor",
      description:
        "Where this visitor would go, by which rule, and why the rules before did not match. Nothing is counted.",
      ok: { status: 200, description: "The decision.", schema: Resolution, headers: ["Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["quota_exceeded", "idempotency_conflict"],
    }),
    loadLink,
    body(SimulatedVisitor),
    (c) =>
      idempotent(c, async () => {
        const { caller, link, idempotentRequest } = c.var;
        const answer: JsonResponse<Resolution, 200> = {
          status: 200,
          headers: {},
          body: simulateVisit(link, c.req.valid("json")),
        };
        if (idempotentRequest) await storeResponse(c.env, caller, idempotentRequest, answer);
        return respondJson(c, answer);
      }),
  );

/** What a Link object tells, and its ETag. */
type LinkView = Pick<
  LinkRecord,
  "id" | "slug" | "domain" | "url" | "routing" | "expiresAt" | "createdAt" | "updatedAt" | "revision"
>;

/** The Link object of the specification: exactly nine fields. */
function wireLink(link: LinkView, hosts: Hosts): Link {
  return {
    id: link.id,
    slug: link.slug,
    domain: link.domain,
    short_url: shortUrl(link.domain, link.slug, hosts),
    url: link.url,
    routing: link.routing,
    expires_at: link.expiresAt === null ? null : timestamp(link.expiresAt),
    created_at: timestamp(link.createdAt),
    updated_at: timestamp(link.updatedAt),
  };
}

export function linkResponse<Status extends 200 | 201>(
  link: LinkView,
  hosts: Hosts,
  status: Status,
): JsonResponse<Link, Status> {
  return { status, headers: { ETag: `"${link.revision}"` }, body: wireLink(link, hosts) };
}

function newLinkProblems(sent: unknown, { hosts, caller }: RequestContext, known: KnownDomains): Problem[] {
  return [
    ...linkDomainProblems(sent, hosts.shortDomains[caller.mode], known),
    ...linkProblems(sent, hosts, known, Date.now()),
  ];
}

export function toNewLink({ hosts, caller }: RequestContext, sent: CreateLink): NewLink {
  return {
    url: sent.url,
    slug: sent.slug ?? null,
    domain: sent.domain === undefined ? hosts.shortDomains[caller.mode] : normalizedDomain(sent.domain),
    routing: sent.routing ?? [],
    expiresAt: sent.expires_at ? Date.parse(sent.expires_at) : null,
  };
}

function changesOf(sent: UpdateLink): LinkChanges {
  return {
    ...(sent.url === undefined ? {} : { url: sent.url }),
    ...(sent.routing === undefined ? {} : { routing: sent.routing }),
    ...(sent.expires_at === undefined
      ? {}
      : { expiresAt: sent.expires_at === null ? null : Date.parse(sent.expires_at) }),
  };
}

/** The revisions that `If-Match` names. A weak or foreign tag matches none: strong comparison (RFC 9110, 13.1.1). */
function expectedRevisions(c: Context<ApiEnv>): ExpectedRevisions {
  const header = c.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return null;
  return header.split(",").flatMap((tag) => {
    const revision = /^"([0-9]{1,15})"$/.exec(tag.trim())?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}

/** Problems told of one link of a bulk request. */
const BULK_ITEM_PROBLEMS_MAX = 10;

type BulkItem = { wanted: NewLink } | { error: ErrorDetail };

/** One link of a bulk request: what is to be made, or why it cannot be. */
function validateBulkItem(context: RequestContext, sent: unknown, known: KnownDomains): BulkItem {
  try {
    return { wanted: toNewLink(context, parseOrThrow(CreateLink, sent, newLinkProblems(sent, context, known))) };
  } catch (error) {
    if (error instanceof ApiError) return { error: errorDetail(error, BULK_ITEM_PROBLEMS_MAX) };
    throw error;
  }
}

/** What came of one link of a bulk request, with what was wanted where it was made. */
type BulkItemResult = { link: LinkRecord; wanted: NewLink } | { error: ErrorDetail };

function bulkResults(items: readonly BulkItem[], outcomes: readonly CreateLinkOutcome[]): BulkItemResult[] {
  const next = outcomes.values();
  return items.map((item) => {
    if ("error" in item) return item;
    const outcome = next.next().value;
    if (outcome && "link" in outcome) return { link: outcome.link, wanted: item.wanted };
    return { error: errorDetail(outcome && "refusal" in outcome ? outcome.refusal : slugTaken(item.wanted)) };
  });
}

function bulkResponse(
  results: readonly ({ link: LinkView } | { error: ErrorDetail })[],
  hosts: Hosts,
): JsonResponse<BulkResult, 200> {
  const wireResults = results.map((result) => ("link" in result ? { link: wireLink(result.link, hosts) } : result));
  return { status: 200, headers: {}, body: { results: wireResults } };
}

/** What a request that is sent again does not say of the link that it made: id, time, and a slug that was drawn. */
type StoredLink = [id: string, createdAt: number, slug?: string];

function storedLinkOf(link: LinkRecord, wanted: NewLink): StoredLink {
  return wanted.slug === null ? [link.id, link.createdAt, link.slug] : [link.id, link.createdAt];
}

function storedResultOf(result: BulkItemResult): StoredLink | { error: ErrorDetail } {
  return "link" in result ? storedLinkOf(result.link, result.wanted) : result;
}

/** The link as it was when it was made, whatever became of it. */
function restoreLink(context: RequestContext, sent: CreateLink, [id, createdAt, generatedSlug]: StoredLink): LinkView {
  const wanted = toNewLink(context, sent);
  return { ...wanted, slug: generatedSlug ?? wanted.slug ?? "", id, createdAt, updatedAt: createdAt, revision: 1 };
}

function restoreBulkResponse(sent: unknown, stored: unknown, context: RequestContext): JsonResponse<BulkResult, 200> {
  const { links: bodies } = BulkEnvelope.parse(sent);
  const results = (stored as ReturnType<typeof storedResultOf>[]).map((result, i) =>
    "error" in result ? result : { link: restoreLink(context, CreateLink.parse(bodies[i]), result) },
  );
  return bulkResponse(results, context.hosts);
}

function slugTaken({ slug, domain }: NewLink): ApiError {
  return new ApiError("slug_taken", `The slug ${slug} is taken on ${domain}`, { param: "slug" });
}

function simulateVisit(link: LinkRecord, simulated: SimulatedVisitor): Resolution {
  const visitor = simulatedVisitor(simulated, Date.now());
  const decision = chooseDestination(link, visitor);
  if (decision.kind === "expired") return { url: null, rule: null, trace: [], expired: true };
  const { rule, destination } = routeKeys(link, decision.rule < 0 ? "" : String(decision.rule));
  return { url: destination, rule, trace: traceRules(link, visitor) };
}

/** @param need  what such a link does not serve for */
export function notApiCreated(need: string): ApiError {
  return new ApiError("link_not_api_created", `This link was made in the dashboard; ${need}`, { param: "link_id" });
}
