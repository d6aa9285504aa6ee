/**
 * Many links in one request: each is created, changed or deleted, or refused, on its own, and gets its result in its
 * place.
 */
import {
  BulkCreate,
  BulkDelete,
  BulkDeleteEnvelope,
  BulkDeleteItem,
  BulkDeleteResult,
  BulkEnvelope,
  BulkResult,
  BulkUpdate,
  BulkUpdateItem,
} from "../../core/contract/bulk-links.ts";
import { CreateLink } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { BULK_LINKS_MAX } from "../../core/limits.ts";
import { anyWritesRules, candidateDomains, type KnownDomains, linkProblems } from "../../core/links/link-validation.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import {
  type BulkOutcome,
  deleteLinks,
  type BulkLink,
  type LinkUpdate,
  updateLinks,
} from "../../store/links/bulk-changes.ts";
import { type CreateLinkOutcome, createLinks, type NewLink } from "../../store/links/link-creation.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { DoneItems } from "../../store/directory/links-request.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { type ErrorDetail, errorDetail } from "../middleware/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow, type RequestContext } from "../middleware/input.ts";
import { postDoc } from "../openapi/route-doc.ts";
import {
  newLinkProblems,
  slugTaken,
  type LinkView,
  restoreLink,
  type StoredLinkResponse,
  storedLinkOf,
  toLinkChanges,
  toNewLink,
  wireLink,
} from "./wire.ts";

const createLinksDoc = postDoc({
  id: "createLinks",
  tag: "Links",
  summary: `Create up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is made or refused for itself; where the account has no room for all, the first are made. Rules on the Free plan, and more links than the account's limit on bulk requests has left, refuse the whole request.",
  ok: { status: 200, description: "One result for each link.", schema: BulkResult },
});

const updateLinksDoc = postDoc({
  id: "updateLinks",
  tag: "Links",
  summary: `Update up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is changed or refused for itself, as a PATCH of it would be. One that stands there twice is changed twice, in order. Rules on the Free plan, and more links than the account's limit on bulk requests has left, refuse the whole request.",
  ok: {
    status: 200,
    description: "One result for each link: as it is now, or why it was not changed.",
    schema: BulkResult,
  },
});

const deleteLinksDoc = postDoc({
  id: "deleteLinks",
  tag: "Links",
  summary: `Delete up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is deleted or refused for itself, as a DELETE of it would be. With `erase` the clicks are erased too, also of links that were deleted before. More links than the account's limit on bulk requests has left refuse the whole request.",
  ok: { status: 200, description: "One result for each link.", schema: BulkDeleteResult },
});

export const createLinksRoute = createHandlers(
  access("links:write", "links"),
  createLinksDoc,
  body(BulkEnvelope, {
    needsPremium: anyWritesRules,
    documentedAs: BulkCreate,
    restoreResponse: restoreCreatedLinks,
  }),
  (c) =>
    idempotent(c, async () => {
      const { hosts, idempotentRequest, caller } = c.var;
      const { links: sent } = c.req.valid("json");
      const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
      const items = sent.map((each) => bulkItem(() => toWantedLink(each, c.var, known)));
      const form = {
        ofItem: (outcome: CreateLinkOutcome, i: number) => storedCreation(creationOf(outcome), sent[i]),
        ofRequest: (stored: readonly unknown[]) => storedResults(items, stored),
      };
      const done = await createLinks(c.env, caller, wantedItems(items), idempotentRequest, form, { isBulk: true });
      const restore = (stored: unknown, i: number) => restoreCreation(stored as StoredCreation, sent[i], c.var);
      const creations = bulkResults<CreateLinkOutcome, Creation>(items, done, creationOf, restore);
      return respondJson(c, createdLinks(creations, hosts));
    }),
);

function toWantedLink(sent: unknown, context: RequestContext, known: KnownDomains): NewLink {
  return toNewLink(parseOrThrow(CreateLink, sent, newLinkProblems(sent, context, known)), context);
}

type Creation<Created extends LinkView = LinkView> = { link: Created } | { error: ErrorDetail };

function creationOf(outcome: CreateLinkOutcome): Creation<LinkRecord> {
  if ("link" in outcome) return { link: outcome.link };
  return { error: errorDetail("refusal" in outcome ? outcome.refusal : slugTaken(outcome.taken)) };
}

function createdLinks(creations: readonly Creation[], hosts: Hosts): JsonResponse<BulkResult, 200> {
  return bulkResponse(creations.map((each) => ("link" in each ? { link: wireLink(each.link, hosts) } : each)));
}

type StoredCreation = StoredLinkResponse | { error: ErrorDetail };

/** @param sent  the item's body, which was valid where there is a link */
function storedCreation(creation: Creation<LinkRecord>, sent: unknown): StoredCreation {
  return "link" in creation ? storedLinkOf(creation.link, sent as CreateLink) : creation;
}

function restoreCreation(stored: StoredCreation, sent: unknown, context: RequestContext): Creation {
  return "error" in stored ? stored : { link: restoreLink(stored, CreateLink.parse(sent), context) };
}

function restoreCreatedLinks(sent: unknown, stored: unknown, context: RequestContext): JsonResponse<BulkResult, 200> {
  const { links: bodies } = BulkEnvelope.parse(sent);
  const creations = (stored as StoredCreation[]).map((each, i) => restoreCreation(each, bodies[i], context));
  return createdLinks(creations, context.hosts);
}

type UpdateResult = BulkResult["results"][number];

export const updateLinksRoute = createHandlers(
  access("links:write", "links"),
  updateLinksDoc,
  body(BulkEnvelope, { needsPremium: anyWritesRules, documentedAs: BulkUpdate }),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts, idempotentRequest } = c.var;
      const { links: sent } = c.req.valid("json");
      const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
      const items = sent.map((each) => bulkItem(() => toLinkUpdate(each, c.var, known)));
      const updates = wantedItems(items);
      const resultOf = (outcome: BulkOutcome): UpdateResult =>
        "link" in outcome ? { link: wireLink(outcome.link, hosts) } : { error: errorDetail(outcome.refusal) };
      const form = {
        ofItem: resultOf,
        ofRequest: (stored: readonly unknown[]) => bulkResponse(storedResults(items, stored) as UpdateResult[]),
      };
      const done = await updateLinks(c.env, c.executionCtx, caller, hosts, updates, idempotentRequest, form, {
        isBulk: true,
      });
      return respondJson(c, bulkResponse(bulkResults(items, done, resultOf, (stored) => stored as UpdateResult)));
    }),
);

function toLinkUpdate(sent: unknown, { hosts }: RequestContext, known: KnownDomains): LinkUpdate {
  const { id, revision, ...changes } = parseOrThrow(BulkUpdateItem, sent, linkProblems(sent, hosts, known, null));
  return { id, revision: revision ?? null, changes: toLinkChanges(changes) };
}

type DeleteResult = BulkDeleteResult["results"][number];

export const deleteLinksRoute = createHandlers(
  access("links:write", "links"),
  deleteLinksDoc,
  body(BulkDeleteEnvelope, { documentedAs: BulkDelete }),
  (c) =>
    idempotent(c, async () => {
      const { caller, idempotentRequest } = c.var;
      const { links: sent, erase = false } = c.req.valid("json");
      const items = sent.map((each) => bulkItem(() => toBulkLink(each)));
      const links = wantedItems(items);
      const resultOf = (outcome: BulkOutcome): DeleteResult =>
        "link" in outcome ? { id: outcome.link.id, deleted: true } : { error: errorDetail(outcome.refusal) };
      const done = await deleteLinks(c.env, c.executionCtx, caller, links, erase, idempotentRequest, {
        ofItem: resultOf,
        ofRequest: (stored) => bulkResponse(storedResults(items, stored) as DeleteResult[]),
      });
      return respondJson(c, bulkResponse(bulkResults(items, done, resultOf, (stored) => stored as DeleteResult)));
    }),
);

function toBulkLink(sent: unknown): BulkLink {
  const { id, revision } = parseOrThrow(BulkDeleteItem, sent);
  return { id, revision: revision ?? null };
}

/** Bounds the response: a hundred links could have a hundred problems each. */
const PROBLEMS_PER_LINK_MAX = 10;

/** What is to be done, or why it cannot be. */
type BulkItem<Wanted> = { wanted: Wanted } | { error: ErrorDetail };

/** @param validate  throws ApiError when the item is not valid */
function bulkItem<Wanted>(validate: () => Wanted): BulkItem<Wanted> {
  try {
    return { wanted: validate() };
  } catch (error) {
    if (error instanceof ApiError) return { error: errorDetail(error, PROBLEMS_PER_LINK_MAX) };
    throw error;
  }
}

/** By position; null where an item is not valid. */
function wantedItems<Wanted>(items: readonly BulkItem<Wanted>[]): (Wanted | null)[] {
  return items.map((item) => ("wanted" in item ? item.wanted : null));
}

/**
 * One result for each item, in order. If an earlier attempt stored an item's result, that result counts, even if the item
 * is not valid now.
 * @param restore  a result from what is stored of it
 */
function bulkResults<Outcome, Result>(
  items: readonly BulkItem<unknown>[],
  done: DoneItems<Outcome>,
  resultOf: (outcome: Outcome) => Result,
  restore: (stored: unknown, position: number) => Result,
): (Result | { error: ErrorDetail })[] {
  return items.map((item, position) => {
    const each = done[position];
    if (each) return "stored" in each ? restore(each.stored, position) : resultOf(each.outcome);
    if ("error" in item) return item;
    throw new Error("an item of a bulk request has no outcome");
  });
}

/** What is stored of a bulk request's items, with the errors of those that were not valid. */
function storedResults(items: readonly BulkItem<unknown>[], stored: readonly unknown[]): unknown[] {
  return items.map((item, position) => stored[position] ?? item);
}

function bulkResponse<Result>(results: Result[]): JsonResponse<{ results: Result[] }, 200> {
  return { status: 200, body: { results } };
}
