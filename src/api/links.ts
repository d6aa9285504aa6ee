/** Links: create one or many, list, retrieve, update, delete, and try a pretend visitor on one (spec 2.1, 4.1, 4.2). */
import { type Context, Hono, type MiddlewareHandler } from "hono";

import {
  BulkCreate,
  BulkEnvelope,
  BulkResult,
  CreateLink,
  DeleteLinkQuery,
  Link,
  LinkId,
  LinkPage,
  ListLinksQuery,
  PretendVisitor,
  Resolution,
  UpdateLink,
} from "../core/contract.ts";
import { storedDomain } from "../core/domain-name.ts";
import { ApiError, type Problem } from "../core/errors.ts";
import { type Hosts, shortUrl } from "../core/hosts.ts";
import {
  anyWritesRules,
  domainProblems,
  type KnownDomains,
  linkProblems,
  namedDomains,
  writesRules,
} from "../core/link-rules.ts";
import { routeOf } from "../core/link-snapshot.ts";
import { pretendedVisitor } from "../core/pretended-visitor.ts";
import { decide, trace } from "../core/routing.ts";
import { timestamp } from "../core/timestamp.ts";
import { knownDomains } from "../store/domains.ts";
import { type Answer, storeAnswer } from "../store/idempotency.ts";
import { deleteLink, eraseLink, readLinkOrTombstone } from "../store/deleted-links.ts";
import { requireDomainHeld } from "../store/inherited-links.ts";
import type { LinkRecord } from "../store/link-rows.ts";
import { listLinks } from "../store/link-search.ts";
import {
  createLinks,
  type Expected,
  type LinkChanges,
  type LinkOutcome,
  outdated,
  type NewLink,
  readLink,
  updateLink,
} from "../store/links.ts";
import { access } from "./access.ts";
import type { Api } from "./context.ts";
import { describe, documented } from "./describe.ts";
import { type ErrorDetail, errorDetail } from "./errors.ts";
import { type Asked, body, checked, noQuery, query } from "./input.ts";
import { onlyOnce, reply } from "./once.ts";

/** Looks the link up for the routes below `/links/:id`; they may trust that it is the caller's. */
export const existingLink: MiddlewareHandler<Api> = documented(
  async (c, next) => {
    c.set("link", await readLink(c.env, c.var.caller, c.req.param("id") ?? ""));
    await next();
  },
  { params: { id: LinkId }, errors: ["link_not_found"] },
);

/** As `existingLink`; where the clicks are to be erased as well, also one that was deleted. */
const deletableLink: MiddlewareHandler<Api> = documented(
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
  premium: writesRules,
  rebuilt: (sent: unknown, kept: unknown, asked: Asked) =>
    linkAnswer(rebuiltLink(asked, CreateLink.parse(sent), kept as KeptLink), asked.hosts, 201),
  problems: async (sent: unknown, asked: Asked, env: Env) =>
    newLinkProblems(sent, asked, await knownDomains(env, asked.caller, namedDomains([sent]))),
};

export const links = new Hono<Api>()
  .post(
    "/links",
    access("links:write"),
    describe({
      id: "createLink",
      tag: "Links",
      summary: "Create a link",
      ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["slug_taken", "quota_exceeded", "idempotency_conflict"],
    }),
    body(CreateLink, newLinkChecks),
    (c) =>
      onlyOnce(c, async () => {
        const { hosts, once, caller } = c.var;
        const wanted = newLink(c.var, c.req.valid("json"));
        const [outcome] = await createLinks(c.env, caller, [wanted], once, ([made]) =>
          made && "link" in made ? keptLink(made.link, wanted) : null,
        );
        if (!outcome || "taken" in outcome) throw slugTaken(wanted);
        if ("refusal" in outcome) throw outcome.refusal;
        return reply(c, linkAnswer(outcome.link, hosts, 201));
      }),
  )
  .post(
    "/links/bulk",
    access("links:write"),
    describe({
      id: "createLinks",
      tag: "Links",
      summary: "Create up to 100 links",
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
    body(BulkEnvelope, { premium: anyWritesRules, documentedAs: BulkCreate, rebuilt: rebuiltBulkAnswer }),
    (c) =>
      onlyOnce(c, async () => {
        const { hosts, once, caller } = c.var;
        const { links: sent } = c.req.valid("json");
        const known = await knownDomains(c.env, caller, namedDomains(sent));
        const judged = sent.map((each) => judge(c.var, each, known));
        const wanted = judged.flatMap((item) => ("wanted" in item ? [item.wanted] : []));
        const resultsOf = (outcomes: LinkOutcome[]) => bulkResults(judged, outcomes);
        const outcomes = await createLinks(c.env, caller, wanted, once, (made) => resultsOf(made).map(keptResult));
        return reply(c, bulkAnswer(resultsOf(outcomes), hosts));
      }),
  )
  .get(
    "/links",
    access("links:read"),
    describe({
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
      return reply(c, { status: 200, headers: {}, body: page });
    },
  )
  .get(
    "/links/:id",
    access("links:read"),
    describe({
      id: "getLink",
      tag: "Links",
      summary: "Retrieve a link",
      ok: { status: 200, description: "The link.", schema: Link, headers: ["ETag"] },
    }),
    existingLink,
    noQuery,
    (c) => reply(c, linkAnswer(c.var.link, c.var.hosts, 200)),
  )
  .patch(
    "/links/:id",
    access("links:write"),
    describe({
      id: "updateLink",
      tag: "Links",
      summary: "Update a link",
      description:
        "Atomic: all of the body is applied, or nothing. Busy isolates serve the change with their next click, every one within ten seconds.",
      ok: { status: 200, description: "The link as it is now.", schema: Link, headers: ["ETag"] },
      requestHeaders: ["If-Match"],
      errors: ["precondition_failed", "domain_transferred"],
    }),
    existingLink,
    body(UpdateLink, {
      premium: writesRules,
      problems: async (sent, { hosts, caller }, env) =>
        linkProblems(sent, hosts, await knownDomains(env, caller, namedDomains([sent])), null),
    }),
    async (c) => {
      const changes = changesOf(c.req.valid("json"));
      const expected = expectedRevisions(c);
      const { caller, hosts, link } = c.var;
      const nothing = Object.keys(changes).length === 0;
      if (!nothing && link.domain !== hosts.shortDomains[link.mode]) await requireDomainHeld(c.env, caller, link);
      if (nothing && expected && !expected.includes(link.revision)) throw outdated(link);
      const updated = nothing ? link : await updateLink(c.env, c.executionCtx, caller, link.id, changes, expected);
      return reply(c, linkAnswer(updated, hosts, 200));
    },
  )
  .delete(
    "/links/:id",
    access("links:write"),
    describe({
      id: "deleteLink",
      tag: "Links",
      summary: "Delete a link",
      description:
        "The short URL answers 410 from now on, and its slug is never issued again. Destination and rules are gone, the clicks are kept as the account's history. With `erase=true` they are erased as well, within minutes: this works for links too that were deleted before.",
      ok: { status: 204, description: "Deleted." },
      requestHeaders: ["If-Match"],
      errors: ["precondition_failed"],
    }),
    deletableLink,
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
    describe({
      id: "resolveLink",
      tag: "Links",
      summary: "Try a pretend visitor",
      description:
        "Where this visitor would go, by which rule, and why the rules before did not match. Nothing is counted.",
      ok: { status: 200, description: "The decision.", schema: Resolution, headers: ["Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["quota_exceeded", "idempotency_conflict"],
    }),
    existingLink,
    body(PretendVisitor),
    (c) =>
      onlyOnce(c, async () => {
        const { caller, link, once } = c.var;
        const answer: Answer<Resolution, 200> = {
          status: 200,
          headers: {},
          body: resolution(link, c.req.valid("json")),
        };
        if (once) await storeAnswer(c.env, caller, once, answer);
        return reply(c, answer);
      }),
  );

/** What a Link object tells, and its ETag. */
type ToldLink = Pick<
  LinkRecord,
  "id" | "slug" | "domain" | "url" | "routing" | "expiresAt" | "createdAt" | "updatedAt" | "revision"
>;

/** The Link object of the specification: exactly nine fields. */
export function wireLink(link: ToldLink, hosts: Hosts): Link {
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

export function linkAnswer<Status extends 200 | 201>(
  link: ToldLink,
  hosts: Hosts,
  status: Status,
): Answer<Link, Status> {
  return { status, headers: { ETag: `"${link.revision}"` }, body: wireLink(link, hosts) };
}

function newLinkProblems(sent: unknown, { hosts, caller }: Asked, known: KnownDomains): Problem[] {
  return [
    ...domainProblems(sent, hosts.shortDomains[caller.mode], known),
    ...linkProblems(sent, hosts, known, Date.now()),
  ];
}

export function newLink({ hosts, caller }: Asked, sent: CreateLink): NewLink {
  return {
    url: sent.url,
    slug: sent.slug ?? null,
    domain: sent.domain === undefined ? hosts.shortDomains[caller.mode] : storedDomain(sent.domain),
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
function expectedRevisions(c: Context<Api>): Expected {
  const header = c.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return null;
  return header.split(",").flatMap((tag) => {
    const revision = /^"([0-9]{1,15})"$/.exec(tag.trim())?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}

/** Problems told of one link of a bulk request. */
const BULK_PROBLEMS_MAX = 10;

type Judged = { wanted: NewLink } | { error: ErrorDetail };

/** One link of a bulk request: what is to be made, or why it cannot be. */
function judge(asked: Asked, sent: unknown, known: KnownDomains): Judged {
  try {
    return { wanted: newLink(asked, checked(CreateLink, sent, newLinkProblems(sent, asked, known))) };
  } catch (error) {
    if (error instanceof ApiError) return { error: errorDetail(error, BULK_PROBLEMS_MAX) };
    throw error;
  }
}

/** What came of one link of a bulk request, with what was wanted where it was made. */
type Result = { link: LinkRecord; wanted: NewLink } | { error: ErrorDetail };

function bulkResults(judged: readonly Judged[], outcomes: readonly LinkOutcome[]): Result[] {
  const next = outcomes.values();
  return judged.map((item) => {
    if ("error" in item) return item;
    const outcome = next.next().value;
    if (outcome && "link" in outcome) return { link: outcome.link, wanted: item.wanted };
    return { error: errorDetail(outcome && "refusal" in outcome ? outcome.refusal : slugTaken(item.wanted)) };
  });
}

function bulkAnswer(
  results: readonly ({ link: ToldLink } | { error: ErrorDetail })[],
  hosts: Hosts,
): Answer<BulkResult, 200> {
  const told = results.map((result) => ("link" in result ? { link: wireLink(result.link, hosts) } : result));
  return { status: 200, headers: {}, body: { results: told } };
}

/** What a request that is sent again does not say of the link that it made: id, time, and a slug that was drawn. */
type KeptLink = [id: string, createdAt: number, slug?: string];

function keptLink(link: LinkRecord, wanted: NewLink): KeptLink {
  return wanted.slug === null ? [link.id, link.createdAt, link.slug] : [link.id, link.createdAt];
}

function keptResult(result: Result): KeptLink | { error: ErrorDetail } {
  return "link" in result ? keptLink(result.link, result.wanted) : result;
}

/** The link as it was when it was made, whatever became of it. */
function rebuiltLink(asked: Asked, sent: CreateLink, [id, createdAt, drawn]: KeptLink): ToldLink {
  const wanted = newLink(asked, sent);
  return { ...wanted, slug: drawn ?? wanted.slug ?? "", id, createdAt, updatedAt: createdAt, revision: 1 };
}

function rebuiltBulkAnswer(sent: unknown, kept: unknown, asked: Asked): Answer<BulkResult, 200> {
  const { links: bodies } = BulkEnvelope.parse(sent);
  const results = (kept as ReturnType<typeof keptResult>[]).map((result, i) =>
    "error" in result ? result : { link: rebuiltLink(asked, CreateLink.parse(bodies[i]), result) },
  );
  return bulkAnswer(results, asked.hosts);
}

function slugTaken({ slug, domain }: NewLink): ApiError {
  return new ApiError("slug_taken", `The slug ${slug} is taken on ${domain}`, { param: "slug" });
}

function resolution(link: LinkRecord, pretended: PretendVisitor): Resolution {
  const visitor = pretendedVisitor(pretended, Date.now());
  const decision = decide(link, visitor);
  if (decision.kind === "expired") return { url: null, rule: null, trace: [], expired: true };
  const { rule, destination } = routeOf(link, decision.rule < 0 ? "" : String(decision.rule));
  return { url: destination, rule, trace: trace(link, visitor) };
}

/** @param need  what such a link does not serve for */
export function notApiCreated(need: string): ApiError {
  return new ApiError("link_not_api_created", `This link was made in the dashboard; ${need}`, { param: "link_id" });
}
