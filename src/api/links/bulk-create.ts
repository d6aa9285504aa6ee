/** Many links in one request: each is created or refused on its own. */
import { BulkCreate, BulkEnvelope, type BulkResult } from "../../core/contract/bulk-links.ts";
import { CreateLink } from "../../core/contract/links.ts";
import type { Hosts } from "../../core/hosts.ts";
import { anyWritesRules, candidateDomains, type KnownDomains } from "../../core/links/link-validation.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { createLinks, type CreateLinkOutcome, type NewLink } from "../../store/links/link-creation.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { type ErrorDetail, errorDetail } from "../middleware/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow, type RequestContext } from "../middleware/input.ts";
import { bulkItem, bulkResults, storedResults, wantedItems } from "./bulk-items.ts";
import { createLinksDoc } from "./docs.ts";
import { newLinkProblems, slugTaken } from "./link-problems.ts";
import { restoreLink, type StoredLink, storedLinkOf } from "./stored-link.ts";
import { type LinkView, toNewLink, wireLink } from "./wire.ts";

export const createLinksRoute = createHandlers(
  access("links:write", "links"),
  createLinksDoc,
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
      const items = sent.map((each) => bulkItem(() => toWantedLink(each, c.var, known)));
      const toStored = (outcome: CreateLinkOutcome, i: number) => storedResultOf(resultOf(outcome), sent[i]);
      const form = { ofItem: toStored, ofRequest: (stored: readonly unknown[]) => storedResults(items, stored) };
      const done = await createLinks(c.env, caller, wantedItems(items), idempotentRequest, form, { isBulk: true });
      const restore = (stored: unknown, i: number) => restoreResult(stored as StoredResult, sent[i], c.var);
      return respondJson(c, bulkResponse(bulkResults(items, done, resultOf, restore), hosts));
    }),
);

function toWantedLink(sent: unknown, context: RequestContext, known: KnownDomains): NewLink {
  return toNewLink(parseOrThrow(CreateLink, sent, newLinkProblems(sent, context, known)), context);
}

type ItemResult = { link: LinkRecord } | { error: ErrorDetail };

function resultOf(outcome: CreateLinkOutcome): ItemResult {
  if ("link" in outcome) return { link: outcome.link };
  return { error: errorDetail("refusal" in outcome ? outcome.refusal : slugTaken(outcome.taken)) };
}

function bulkResponse(
  results: readonly ({ link: LinkView } | { error: ErrorDetail })[],
  hosts: Hosts,
): JsonResponse<BulkResult, 200> {
  const wireResults = results.map((result) => ("link" in result ? { link: wireLink(result.link, hosts) } : result));
  return { status: 200, body: { results: wireResults } };
}

type StoredResult = StoredLink | { error: ErrorDetail };

/** @param sent  the item's body, which was valid where there is a link */
function storedResultOf(result: ItemResult, sent: unknown): StoredResult {
  return "link" in result ? storedLinkOf(result.link, sent as CreateLink) : result;
}

function restoreResult(stored: StoredResult, sent: unknown, context: RequestContext) {
  return "error" in stored ? stored : { link: restoreLink(stored, CreateLink.parse(sent), context) };
}

function restoreBulkResponse(sent: unknown, stored: unknown, context: RequestContext): JsonResponse<BulkResult, 200> {
  const { links: bodies } = BulkEnvelope.parse(sent);
  const results = (stored as StoredResult[]).map((result, i) => restoreResult(result, bodies[i], context));
  return bulkResponse(results, context.hosts);
}
