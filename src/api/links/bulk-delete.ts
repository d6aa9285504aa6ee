/** Many links deleted in one request: each is deleted or refused on its own, in one transaction. */
import {
  BulkDelete,
  BulkDeleteEnvelope,
  BulkDeleteItem,
  type BulkDeleteResult,
} from "../../core/contract/bulk-links.ts";
import { type BulkOutcome, deleteLinks, type LinkReference } from "../../store/links/bulk-changes.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { errorDetail } from "../middleware/errors.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow } from "../middleware/input.ts";
import { bulkItem, type BulkItem, bulkResults, validItems } from "./bulk-items.ts";
import { deleteLinksDoc } from "./docs.ts";

export const deleteLinksRoute = createHandlers(
  access("links:write"),
  deleteLinksDoc,
  body(BulkDeleteEnvelope, { documentedAs: BulkDelete }),
  (c) =>
    idempotent(c, async () => {
      const { caller, idempotentRequest } = c.var;
      const { links: sent, erase = false } = c.req.valid("json");
      const items = sent.map((each) => bulkItem(() => toLinkReference(each)));
      const responseOf = (outcomes: BulkOutcome[]) => bulkDeleteResponse(items, outcomes);
      const links = validItems(items);
      const outcomes = await deleteLinks(c.env, c.executionCtx, caller, links, erase, idempotentRequest, responseOf);
      return respondJson(c, responseOf(outcomes));
    }),
);

function toLinkReference(sent: unknown): LinkReference {
  const { id, revision } = parseOrThrow(BulkDeleteItem, sent);
  return { id, revision: revision ?? null };
}

function bulkDeleteResponse(
  items: readonly BulkItem<LinkReference>[],
  outcomes: readonly BulkOutcome[],
): JsonResponse<BulkDeleteResult, 200> {
  const results = bulkResults(items, outcomes, (outcome) =>
    "link" in outcome ? { id: outcome.link.id, deleted: true as const } : { error: errorDetail(outcome.refusal) },
  );
  return { status: 200, body: { results } };
}
