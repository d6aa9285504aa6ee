/** The history of a link: list it, and bring a revision back. */
import { ListRevisionsQuery, RestoreRevision } from "../../core/contract/link-revisions.ts";
import { UpdateLink } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import { writesRules } from "../../core/links/link-validation.ts";
import type { Caller } from "../../store/accounts/caller.ts";
import { soleOutcome } from "../../store/links/links-request.ts";
import { updateLinks } from "../../store/links/bulk-changes.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { findRevision, type LinkRevision, listRevisions } from "../../store/links/link-revisions.ts";
import { RevisionMismatchError, throwNotUpdated } from "../../store/links/links.ts";
import { createHandlers } from "../context.ts";
import { respondJson, respondPage } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, parseOrThrow, pathParam, query, type RequestContext } from "../middleware/input.ts";
import { listRevisionsDoc, restoreRevisionDoc } from "./docs.ts";
import { expectedRevisions } from "./if-match.ts";
import { linkContentProblems } from "./link-problems.ts";
import { loadLink } from "./load-link.ts";
import { linkResponse, type LinkView } from "./wire.ts";
import { restoringBody, wireRevisionPage } from "./wire-revisions.ts";

export const listRevisionsRoute = createHandlers(
  access("links:read"),
  listRevisionsDoc,
  loadLink,
  query(ListRevisionsQuery),
  async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const page = await listRevisions(c.env, c.var.link, cursor === undefined ? null : Number(cursor), limit);
    return respondPage(c, wireRevisionPage(page));
  },
);

export const restoreRevisionRoute = createHandlers(
  access("links:write"),
  restoreRevisionDoc,
  loadLink,
  body(RestoreRevision),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts, idempotentRequest, link } = c.var;
      const expected = expectedRevisions(c);
      if (expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
      // Not before the body: whoever repeats the request may have dropped the revision with it, as the oldest.
      const { content } = await requireRevision(c.env, link, pathParam(c, "revision"));
      const sent = restoringBody(content, link);
      await requireValid(sent, c.var, c.env);
      const changes = Object.keys(sent).length === 0 ? {} : content;
      const update = { id: link.id, revision: expected && link.revision, changes };
      const responseOf = (restored: LinkView) => linkResponse(restored, hosts, 200);
      const [done] = await updateLinks(c.env, c.executionCtx, caller, hosts, [update], idempotentRequest, {
        ofItem: (outcome) => ("link" in outcome ? responseOf(outcome.link) : null),
        ofRequest: ([stored]) => stored,
      });
      const outcome = soleOutcome(done);
      if ("refusal" in outcome) return throwRefusal(c.env, caller, link.id, outcome.refusal);
      return respondJson(c, responseOf(outcome.link));
    }),
);

/** A change that came after `If-Match` was compared is refused in its words. */
async function throwRefusal(env: Env, caller: Caller, id: string, refusal: ApiError): Promise<never> {
  if (refusal.code !== "precondition_failed") throw refusal;
  return throwNotUpdated(env, caller, id);
}

/** @throws ApiError not_found */
async function requireRevision(env: Env, link: LinkRecord, number: string): Promise<LinkRevision> {
  const revision = /^[1-9][0-9]{0,14}$/.test(number) ? await findRevision(env, link, Number(number)) : null;
  if (!revision) throw new ApiError("not_found", "This link has no such revision, or it is not kept any more");
  return revision;
}

/** Destinations and plans may have changed since: what comes back is checked as if it were sent. */
async function requireValid(sent: UpdateLink, context: RequestContext, env: Env): Promise<void> {
  if (writesRules(sent) && context.caller.plan !== "premium") throw new ApiError("plan_upgrade_required");
  parseOrThrow(UpdateLink, sent, await linkContentProblems(sent, context, env, null));
}
