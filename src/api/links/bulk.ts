/**
 * Bulk requests: each link is created, updated or deleted, or refused, on its own. Results are in the order of the
 * request.
 */
import type { Context } from "hono";

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
import { HandOver, type LinkOriginAnswer } from "../../core/contract/dashboard.ts";
import { CreateLink, Link } from "../../core/contract/links.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { BULK_ALIASES_MAX, BULK_LINKS_MAX, BULK_PASSWORDS_MAX } from "../../core/limits.ts";
import { anyWritesRules, candidateDomains, type KnownDomains, linkProblems } from "../../core/links/link-validation.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import {
  type BulkLink,
  deleteLinks,
  handOverLinks,
  type LinkUpdate,
  updateLinks,
} from "../../store/links/bulk-changes.ts";
import { slugTaken } from "../../store/links/link-aliases.ts";
import { type CreateLinkOutcome, createLinks, type NewLink } from "../../store/links/link-creation.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { DoneItems, ItemsRequest } from "../../store/directory/links-request.ts";
import { type ApiEnv, createHandlers, type JsonResponse, respondJson } from "../context.ts";
import { access } from "../middleware/access.ts";
import { type ErrorDetail, errorDetail } from "../middleware/errors.ts";
import { body, idempotent, noQuery, parseOrThrow, type RequestContext } from "../middleware/input.ts";
import { postDoc } from "../openapi/route-doc.ts";
import { loadLink } from "./load-link.ts";
import {
  newLinkProblems,
  readAliasProblems,
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
    "Links are created independently: each succeeds or fails on its own. If the quota is too small, links are created in order until it is reached. The whole request is rejected if it sets routing rules on the Free plan, or if it has more links than the account's limit on bulk requests has left.",
  ok: { status: 200, description: "One result for each link.", schema: BulkResult },
});

const updateLinksDoc = postDoc({
  id: "updateLinks",
  tag: "Links",
  summary: `Update up to ${BULK_LINKS_MAX} links`,
  description:
    "Links are updated independently, each as with a PATCH request. If the request contains a link twice, both changes are applied in order. The whole request is rejected if it sets routing rules on the Free plan, or if it has more links than the account's limit on bulk requests has left.",
  ok: {
    status: 200,
    description: "One result for each link: the updated link, or the error.",
    schema: BulkResult,
  },
});

const deleteLinksDoc = postDoc({
  id: "deleteLinks",
  tag: "Links",
  summary: `Delete up to ${BULK_LINKS_MAX} links`,
  description:
    "Links are deleted independently, each as with a DELETE request. With `erase`, their clicks are also erased, even those of links that were deleted earlier. The whole request is rejected if it has more links than the account's limit on bulk requests has left.",
  ok: { status: 200, description: "One result for each link.", schema: BulkDeleteResult },
});

export const createLinksRoute = createHandlers(
  access("links:write", createLinksDoc, "links"),
  body(BulkEnvelope, {
    needsPremium: anyWritesRules,
    documentedAs: BulkCreate,
    problems: sizeProblems,
    restoreResponse: restoreCreatedLinks,
  }),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts } = c.var;
      const { links: sent } = c.req.valid("json");
      const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
      return respondBulk<NewLink, CreatedLink>(c, sent, {
        toWanted: (each, more) => {
          const problems = [...newLinkProblems(each, c.var, known), ...more];
          return toNewLink(parseOrThrow(CreateLink, each, problems, Link), c.var);
        },
        readMoreProblems: (invalid) => readAliasProblems(invalid, c.var, c.env),
        execute: (request) => createLinks(c.env, caller, request, hosts.shortDomains[caller.mode]),
        resultOf: (link) => ({ link: wireLink(link, hosts) }),
        // The item's body was valid if there is a link.
        storedOf: (link, i) => storedLinkOf(link, sent[i] as CreateLink),
        restore: (stored, i) => restoreCreation(stored as StoredLinkResponse, sent[i], c.var),
      });
    }),
);

type CreatedLink = { link: Link };

function restoreCreation(stored: StoredLinkResponse, sent: unknown, context: RequestContext): CreatedLink {
  return { link: wireLink(restoreLink(stored, CreateLink.parse(sent), context), context.hosts) };
}

function restoreCreatedLinks(sent: unknown, stored: unknown, context: RequestContext): JsonResponse {
  const { links: bodies } = BulkEnvelope.parse(sent);
  const results = (stored as (StoredLinkResponse | Refused)[]).map((each, i) =>
    "error" in each ? each : restoreCreation(each, bodies[i], context),
  );
  return responseWith(results);
}

export const updateLinksRoute = createHandlers(
  access("links:write", updateLinksDoc, "links"),
  body(BulkEnvelope, { needsPremium: anyWritesRules, documentedAs: BulkUpdate, problems: sizeProblems }),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts } = c.var;
      const { links: sent } = c.req.valid("json");
      const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
      return respondBulk(c, sent, {
        toWanted: (each) => toLinkUpdate(each, c.var, known),
        execute: (request) => updateLinks(c.env, c.executionCtx, caller, hosts, request),
        resultOf: (link) => ({ link: wireLink(link, hosts) }),
      });
    }),
);

function toLinkUpdate(sent: unknown, context: RequestContext, known: KnownDomains): LinkUpdate {
  const problems = linkProblems(sent, context.hosts, known, null);
  const { id, revision, ...changes } = parseOrThrow(BulkUpdateItem, sent, problems, Link);
  return { id, revision: revision ?? null, changes: toLinkChanges(changes, context) };
}

/** @param sent  not yet validated */
function sizeProblems(sent: unknown): Problem[] {
  const { data } = BulkEnvelope.safeParse(sent);
  const links = (data?.links ?? []) as ({ password?: unknown; aliases?: unknown } | null)[];
  const passwords = links.filter((link) => Boolean(link?.password)).length;
  const aliases = links.reduce((sum, link) => sum + (Array.isArray(link?.aliases) ? link.aliases.length : 0), 0);
  const problem = (name: string, max: number) => {
    const message = `links may set at most ${max} ${name} in one request`;
    return [{ path: "links", code: `too_many_${name}`, message }];
  };
  return [
    ...(passwords > BULK_PASSWORDS_MAX ? problem("passwords", BULK_PASSWORDS_MAX) : []),
    ...(aliases > BULK_ALIASES_MAX ? problem("aliases", BULK_ALIASES_MAX) : []),
  ];
}

export const deleteLinksRoute = createHandlers(
  access("links:write", deleteLinksDoc, "links"),
  body(BulkDeleteEnvelope, { documentedAs: BulkDelete }),
  (c) => {
    const { links: sent, erase = false } = c.req.valid("json");
    return idempotent(c, () =>
      respondBulk(c, sent, {
        toWanted: toBulkLink,
        execute: (request) => deleteLinks(c.env, c.executionCtx, c.var.caller, request, erase),
        resultOf: ({ id }) => ({ id, deleted: true as const }),
      }),
    );
  },
);

/** Only the dashboard has this route: whether programs may use a link is decided by the holder of the account. */
export const handOverLinksRoute = createHandlers(access("links:write", {}, "links"), body(HandOver), (c) =>
  idempotent(c, () =>
    respondBulk(c, c.req.valid("json").links, {
      toWanted: toBulkLink,
      execute: (request) => handOverLinks(c.env, c.executionCtx, c.var.caller, request),
      resultOf: ({ id }) => ({ id, origin: "api" as const }),
    }),
  ),
);

export const getLinkOriginRoute = createHandlers(access("links:read"), loadLink, noQuery, (c) =>
  respondJson(c, { status: 200, body: { origin: c.var.link.origin } satisfies LinkOriginAnswer }),
);

function toBulkLink(sent: unknown): BulkLink {
  const { id, revision } = parseOrThrow(BulkDeleteItem, sent);
  return { id, revision: revision ?? null };
}

/** Bounds the response: each of a hundred links could have a hundred problems. */
const PROBLEMS_PER_LINK_MAX = 10;

interface Refused {
  error: ErrorDetail;
}

/** The requested change, or the error that prevents it. @param validate  throws ApiError when the item is not valid */
function bulkItem<Wanted>(validate: () => Wanted): { wanted: Wanted } | Refused {
  try {
    return { wanted: validate() };
  } catch (error) {
    if (error instanceof ApiError) return { error: errorDetail(error, PROBLEMS_PER_LINK_MAX) };
    throw error;
  }
}

interface BulkWork<Wanted, Result> {
  /** @param more  further problems of an invalid item @throws ApiError when the item is not valid */
  toWanted: (sent: unknown, more: Problem[]) => Wanted;
  /** Problems that are read only for items with others. The rest are checked for them when they are carried out. */
  readMoreProblems?: (invalid: unknown[]) => Promise<(sent: unknown) => Problem[]>;
  execute: (request: ItemsRequest<Wanted, CreateLinkOutcome>) => Promise<DoneItems<CreateLinkOutcome>>;
  /** The result of an item, from the link afterwards. */
  resultOf: (link: LinkRecord) => Result;
  /** The form in which a link is stored for a retry; its result when omitted. */
  storedOf?: (link: LinkRecord, position: number) => unknown;
  /** Rebuilds a result from its stored form. */
  restore?: (stored: unknown, position: number) => Result;
}

/**
 * Responds with one result for each item, in order. If an earlier attempt stored an item's result, that result counts,
 * even if the item is not valid now. The errors of invalid items are stored along with the results of the others.
 */
async function respondBulk<Wanted, Result extends object>(
  c: Context<ApiEnv>,
  sent: readonly unknown[],
  { toWanted, readMoreProblems, execute, resultOf, storedOf, restore }: BulkWork<Wanted, Result>,
) {
  const checked = sent.map((each) => bulkItem(() => toWanted(each, [])));
  const moreOf = await readMoreProblems?.(sent.filter((_, i) => "error" in (checked[i] ?? {})));
  const items = checked.map((item, i) =>
    "error" in item && moreOf ? bulkItem(() => toWanted(sent[i], moreOf(sent[i]))) : item,
  );
  const done = await execute({
    items: items.map((item) => ("wanted" in item ? item.wanted : null)),
    isBulk: true,
    idempotentRequest: c.var.idempotentRequest,
    stored: {
      ofItem: (outcome, i) => ("link" in outcome ? (storedOf ?? resultOf)(outcome.link, i) : refusedOf(outcome)),
      ofRequest: (stored) => {
        const results = items.map((item, i) => stored[i] ?? item);
        // Releases of one rollout read each other's stored responses: the bare results.
        return storedOf ? results : responseWith(results);
      },
    },
  });
  const results = items.map((item, i): Result | Refused => {
    const each = done[i];
    if (!each) {
      if ("error" in item) return item;
      throw new Error("an item of a bulk request has no outcome");
    }
    if ("outcome" in each) return "link" in each.outcome ? resultOf(each.outcome.link) : refusedOf(each.outcome);
    const stored = each.stored as Result | Refused;
    return restore && !("error" in stored) ? restore(stored, i) : stored;
  });
  return respondJson(c, responseWith(results));
}

function refusedOf(outcome: Exclude<CreateLinkOutcome, { link: unknown }>): Refused {
  return { error: errorDetail("refusal" in outcome ? outcome.refusal : slugTaken(outcome.taken)) };
}

function responseWith<Result>(results: Result[]): JsonResponse<{ results: Result[] }, 200> {
  return { status: 200, body: { results } };
}
