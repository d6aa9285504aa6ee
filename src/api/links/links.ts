/** Links: create, list, retrieve, update, delete. */
import type { Context } from "hono";

import {
  CreateLink,
  DeleteLinkQuery,
  FindLinksQuery,
  Link,
  LinkPage,
  ListLinksQuery,
  ListTagsQuery,
  TagPage,
  UpdateLink,
} from "../../core/contract/links.ts";
import { candidateDomains, withoutVoidStart, writesRules } from "../../core/links/link-validation.ts";
import { timestamp } from "../../core/time.ts";
import { requireNotTransferred } from "../../store/domains/domain-holders.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { readPasswordLock } from "../../store/link-object-client.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { withTimeout } from "../../store/timeout.ts";
import {
  deleteLink,
  type ExpectedRevisions,
  type LinkChanges,
  RevisionMismatchError,
  throwNotUpdated,
  updateLink,
} from "../../store/links/links.ts";
import { updateLinks } from "../../store/links/bulk-changes.ts";
import { slugTaken } from "../../store/links/link-aliases.ts";
import { type CreateLinkOutcome, createLinks } from "../../store/links/link-creation.ts";
import type { WantedLinks } from "../../store/links/link-filters.ts";
import { listLinkPage } from "../../store/links/link-lists.ts";
import { soleOutcome, type StoredForm } from "../../store/directory/links-request.ts";
import { listTags } from "../../store/links/tags.ts";
import { type ApiEnv, createHandlers, respondJson, respondPage, wirePage } from "../context.ts";
import { access, requireScope } from "../middleware/access.ts";
import { body, idempotent, noQuery, query } from "../middleware/input.ts";
import { postDoc, type RouteDoc } from "../openapi/route-doc.ts";
import {
  linkContentProblems,
  newLinkProblems,
  linkResponse,
  restoreLink,
  storedLinkOf,
  type StoredLinkResponse,
  toLinkChanges,
  toNewLink,
  wireLink,
  withAliasProblems,
} from "./wire.ts";
import { expectedRevisions, loadDeletableLink, loadLink } from "./load-link.ts";

const createLinkDoc = postDoc({
  id: "createLink",
  tag: "Links",
  summary: "Create a link",
  description: "If you omit `slug`, a random one is generated.",
  ok: { status: 201, description: "The created link.", schema: Link, headers: ["ETag"] },
  errors: ["slug_taken"],
});

const listLinksDoc: RouteDoc = {
  id: "listLinks",
  tag: "Links",
  summary: "List links",
  description:
    "Each request searches a bounded number of links, so a page can have fewer links than `limit`, or none, even if `has_more` is true. Continue with `next_cursor` until it is null to get every match once.\n\n`include=clicks` and `sort=-clicks` also require the scope `stats:read`.",
  ok: { status: 200, description: "A page of links.", schema: LinkPage, headers: ["Link"] },
};

const getLinkDoc: RouteDoc = {
  id: "getLink",
  tag: "Links",
  summary: "Retrieve a link",
  description: "If too many wrong passwords have locked the link, `password_locked_until` is the end of the lock.",
  ok: { status: 200, description: "The link.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-None-Match"],
};

const updateLinkDoc: RouteDoc = {
  id: "updateLink",
  tag: "Links",
  summary: "Update a link",
  description:
    "Updates are atomic: all changes in the body are applied, or none. The location that receives the request serves the changes immediately, busy locations from their next click, and all locations within ten seconds.",
  ok: { status: 200, description: "The updated link.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-Match"],
  errors: ["precondition_failed", "domain_transferred"],
};

const deleteLinkDoc: RouteDoc = {
  id: "deleteLink",
  tag: "Links",
  summary: "Delete a link",
  description:
    "The short URL returns 410, and its slug is never reissued. The destination and rules are deleted. The clicks are kept in the account's history. With `erase=true`, the clicks are also erased within minutes, even those of a link that was deleted earlier.",
  ok: { status: 204, description: "The link was deleted." },
  requestHeaders: ["If-Match"],
  errors: ["precondition_failed"],
};

export const createLinkRoute = createHandlers(
  access("links:write", createLinkDoc),
  body(CreateLink, {
    resource: Link,
    needsPremium: writesRules,
    problems: async (sent, context, env, fits) => {
      const known = await findKnownDomains(env, context.caller, candidateDomains([sent]));
      return withAliasProblems(newLinkProblems(sent, context, known), sent, context, env, fits);
    },
    restoreResponse: (sent, stored, context) =>
      linkResponse(restoreLink(stored as StoredLinkResponse, CreateLink.parse(sent), context), context.hosts, 201),
  }),
  (c) =>
    idempotent(c, async () => {
      const { hosts, idempotentRequest, caller } = c.var;
      const sent = c.req.valid("json");
      const wanted = toNewLink(sent, c.var);
      const stored: StoredForm<CreateLinkOutcome> = {
        ofItem: (outcome) => ("link" in outcome ? storedLinkOf(outcome.link, sent) : null),
        ofRequest: ([link]) => link,
      };
      const request = { items: [wanted], idempotentRequest, stored };
      const [done] = await createLinks(c.env, caller, request, hosts.shortDomains[caller.mode]);
      const outcome = soleOutcome(done);
      if ("taken" in outcome) throw slugTaken(outcome.taken);
      if ("refusal" in outcome) throw outcome.refusal;
      return respondJson(c, linkResponse(outcome.link, hosts, 201));
    }),
);

export const listLinksRoute = createHandlers(
  access("links:read", listLinksDoc),
  requireScopeOfClicks,
  query(ListLinksQuery),
  async (c) => respondPage(c, await linkPageOf(c, c.req.valid("query"), () => ({}))),
);

/** The same list for the dashboard, which replaces it there and says what created each link. */
export const findLinksRoute = createHandlers(access("links:read"), query(FindLinksQuery), async (c) =>
  respondPage(c, await linkPageOf(c, c.req.valid("query"), ({ origin }) => ({ origin }))),
);

/** @param more  members beside those of Link */
async function linkPageOf<More extends object>(
  c: Context<ApiEnv>,
  wanted: WantedLinks,
  more: (link: LinkRecord) => More,
) {
  const { caller, hosts } = c.var;
  const { items, nextCursor } = await listLinkPage(c.env, caller, hosts, wanted);
  const data = items.map(({ link, clicks }) => ({
    ...wireLink(link, hosts),
    ...(clicks === null ? {} : { clicks }),
    ...(wanted.include === "revision" ? { revision: link.revision } : {}),
    ...more(link),
  }));
  return wirePage(data, nextCursor);
}

/** Scopes are checked before values. @throws ApiError insufficient_scope */
async function requireScopeOfClicks(c: Context<ApiEnv>, next: () => Promise<void>): Promise<void> {
  const { include = [], sort = [] } = c.req.queries();
  if (include.includes("clicks") || sort.includes("-clicks")) requireScope(c.var.caller, "stats:read");
  await next();
}

export const getLinkRoute = createHandlers(access("links:read", getLinkDoc), loadLink, noQuery, async (c) => {
  const { link, hosts } = c.var;
  const response = linkResponse(link, hosts, 200);
  const lock = await lockOf(c.env, link);
  if (lock.password_locked_until === undefined) return respondJson(c, response);
  // A lock begins and ends without a new revision: a caller that has this revision still learns of it.
  c.header("ETag", response.headers?.ETag);
  return respondJson(c, { status: 200, body: { ...response.body, ...lock } });
});

const LOCK_TIMEOUT_MS = 1_000;

/** Whether the link accepts passwords again only later; nothing if its object does not answer. */
async function lockOf(env: Env, link: LinkRecord): Promise<Pick<Link, "password_locked_until">> {
  if (link.password === null) return {};
  const lock = await withTimeout(LOCK_TIMEOUT_MS, readPasswordLock(env, link, {})).catch(() => null);
  return lock?.until ? { password_locked_until: timestamp(lock.until) } : {};
}

export const updateLinkRoute = createHandlers(
  access("links:write", updateLinkDoc),
  loadLink,
  body(UpdateLink, {
    resource: Link,
    needsPremium: writesRules,
    problems: async (sent, context, env, fits) =>
      withAliasProblems(await linkContentProblems(sent, context, env), sent, context, env, fits),
  }),
  async (c) => {
    const { hosts, link } = c.var;
    const changes = withoutVoidStart(toLinkChanges(c.req.valid("json"), c.var), link, Date.now());
    const expected = expectedRevisions(c);
    const isUnchanged = Object.keys(changes).length === 0;
    if (!isUnchanged) await requireNotTransferred(c.env, hosts, link);
    if (isUnchanged && expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
    const update = changes.aliases ? updateWithAliases : updateOne;
    const updated = isUnchanged ? link : await update(c, changes, expected);
    return respondJson(c, linkResponse(updated, hosts, 200));
  },
);

function updateOne(c: Context<ApiEnv>, changes: LinkChanges, expected: ExpectedRevisions): Promise<LinkRecord> {
  const { caller, link } = c.var;
  return updateLink(c.env, c.executionCtx, caller, link.id, changes, expected);
}

/** Aliases can be in several databases. */
async function updateWithAliases(
  c: Context<ApiEnv>,
  changes: LinkChanges,
  expected: ExpectedRevisions,
): Promise<LinkRecord> {
  const { caller, link, hosts } = c.var;
  if (expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
  const update = { id: link.id, revision: expected && link.revision, changes };
  const [done] = await updateLinks(c.env, c.executionCtx, caller, hosts, { items: [update] });
  const outcome = soleOutcome(done);
  if ("link" in outcome) return outcome.link;
  if (outcome.refusal.code === "precondition_failed") return throwNotUpdated(c.env, caller, link.id);
  throw outcome.refusal;
}

export const deleteLinkRoute = createHandlers(
  access("links:write", deleteLinkDoc),
  loadDeletableLink,
  query(DeleteLinkQuery),
  async (c) => {
    const { caller, link } = c.var;
    const erases = c.req.valid("query").erase === "true";
    await deleteLink(c.env, c.executionCtx, caller, link.id, expectedRevisions(c), erases);
    return c.body(null, 204);
  },
);

const listTagsDoc: RouteDoc = {
  id: "listTags",
  tag: "Links",
  summary: "List tags",
  description:
    "Returns all tags in use, in alphabetical order, each with its number of links. To count clicks by tag, use the account's statistics: `GET /v1/stats?group_by=tag`.",
  ok: { status: 200, description: "A page of tags.", schema: TagPage, headers: ["Link"] },
};

export const listTagsRoute = createHandlers(access("links:read", listTagsDoc), query(ListTagsQuery), async (c) => {
  const { items, nextCursor } = await listTags(c.env, c.var.caller, c.req.valid("query"));
  const data = items.map(({ name, links }) => ({ tag: name, links }));
  return respondPage(c, wirePage(data, nextCursor) satisfies TagPage);
});
