/** Many links updated in one request: each is changed or refused on its own. */
import { BulkEnvelope, BulkUpdate, BulkUpdateItem, type BulkResult } from "../../core/contract/bulk-links.ts";
import type { Hosts } from "../../core/hosts.ts";
import { anyWritesRules, candidateDomains, linkProblems, type KnownDomains } from "../../core/links/link-validation.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { type BulkOutcome, type LinkUpdate, updateLinks } from "../../store/links/bulk-changes.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { errorDetail } from "../middleware/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow, type RequestContext } from "../middleware/input.ts";
import { bulkItem, bulkResults, storedResults, wantedItems } from "./bulk-items.ts";
import { updateLinksDoc } from "./docs.ts";
import { toLinkChanges, wireLink } from "./wire.ts";

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
      const resultOf = (outcome: BulkOutcome) => bulkUpdateResult(outcome, hosts);
      const form = {
        ofItem: resultOf,
        ofRequest: (stored: readonly unknown[]) => bulkUpdateResponse(storedResults(items, stored) as Result[]),
      };
      const done = await updateLinks(c.env, c.executionCtx, caller, hosts, updates, idempotentRequest, form, {
        isBulk: true,
      });
      return respondJson(c, bulkUpdateResponse(bulkResults(items, done, resultOf, (stored) => stored as Result)));
    }),
);

function toLinkUpdate(sent: unknown, { hosts }: RequestContext, known: KnownDomains): LinkUpdate {
  const { id, revision, ...changes } = parseOrThrow(BulkUpdateItem, sent, linkProblems(sent, hosts, known, null));
  return { id, revision: revision ?? null, changes: toLinkChanges(changes) };
}

type Result = BulkResult["results"][number];

function bulkUpdateResult(outcome: BulkOutcome, hosts: Hosts): Result {
  return "link" in outcome ? { link: wireLink(outcome.link, hosts) } : { error: errorDetail(outcome.refusal) };
}

function bulkUpdateResponse(results: Result[]): JsonResponse<BulkResult, 200> {
  return { status: 200, body: { results } };
}
