/** Many links deleted in one request: each is deleted or refused on its own. */
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
import { bulkItem, bulkResults, storedResults, wantedItems } from "./bulk-items.ts";
import { deleteLinksDoc } from "./docs.ts";

export const deleteLinksRoute = createHandlers(
  access("links:write", "links"),
  deleteLinksDoc,
  body(BulkDeleteEnvelope, { documentedAs: BulkDelete }),
  (c) =>
    idempotent(c, async () => {
      const { caller, idempotentRequest } = c.var;
      const { links: sent, erase = false } = c.req.valid("json");
      const items = sent.map((each) => bulkItem(() => toLinkReference(each)));
      const links = wantedItems(items);
      const done = await deleteLinks(c.env, c.executionCtx, caller, links, erase, idempotentRequest, {
        ofItem: resultOf,
        ofRequest: (stored) => bulkDeleteResponse(storedResults(items, stored) as Result[]),
      });
      return respondJson(c, bulkDeleteResponse(bulkResults(items, done, resultOf, (stored) => stored as Result)));
    }),
);

function toLinkReference(sent: unknown): LinkReference {
  const { id, revision } = parseOrThrow(BulkDeleteItem, sent);
  return { id, revision: revision ?? null };
}

type Result = BulkDeleteResult["results"][number];

function resultOf(outcome: BulkOutcome): Result {
  return "link" in outcome ? { id: outcome.link.id, deleted: true } : { error: errorDetail(outcome.refusal) };
}

function bulkDeleteResponse(results: Result[]): JsonResponse<BulkDeleteResult, 200> {
  return { status: 200, body: { results } };
}
