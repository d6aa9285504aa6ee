/** Many links updated in one request: each is changed or refused on its own, in one transaction. */
import { BulkEnvelope, BulkUpdate, BulkUpdateItem, type BulkResult } from "../../core/contract/bulk-links.ts";
import { anyWritesRules, candidateDomains, linkProblems, type KnownDomains } from "../../core/links/link-validation.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { type BulkOutcome, type LinkUpdate, updateLinks } from "../../store/links/bulk-changes.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { errorDetail } from "../middleware/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow, type RequestContext } from "../middleware/input.ts";
import { bulkItem, type BulkItem, bulkResults, validItems } from "./bulk-items.ts";
import { updateLinksDoc } from "./docs.ts";
import { toLinkChanges, wireLink } from "./wire.ts";

export const updateLinksRoute = createHandlers(
  access("links:write"),
  updateLinksDoc,
  body(BulkEnvelope, { needsPremium: anyWritesRules, documentedAs: BulkUpdate }),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts, idempotentRequest } = c.var;
      const { links: sent } = c.req.valid("json");
      const known = await findKnownDomains(c.env, caller, candidateDomains(sent));
      const items = sent.map((each) => bulkItem(() => toLinkUpdate(each, c.var, known)));
      const responseOf = (outcomes: BulkOutcome[]) => bulkUpdateResponse(items, outcomes, c.var);
      const updates = validItems(items);
      const outcomes = await updateLinks(c.env, c.executionCtx, caller, hosts, updates, idempotentRequest, responseOf);
      return respondJson(c, responseOf(outcomes));
    }),
);

function toLinkUpdate(sent: unknown, { hosts }: RequestContext, known: KnownDomains): LinkUpdate {
  const { id, revision, ...changes } = parseOrThrow(BulkUpdateItem, sent, linkProblems(sent, hosts, known, null));
  return { id, revision: revision ?? null, changes: toLinkChanges(changes) };
}

function bulkUpdateResponse(
  items: readonly BulkItem<LinkUpdate>[],
  outcomes: readonly BulkOutcome[],
  { hosts }: RequestContext,
): JsonResponse<BulkResult, 200> {
  const results = bulkResults(items, outcomes, (outcome) =>
    "link" in outcome ? { link: wireLink(outcome.link, hosts) } : { error: errorDetail(outcome.refusal) },
  );
  return { status: 200, body: { results } };
}
