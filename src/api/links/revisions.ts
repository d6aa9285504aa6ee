/** The revisions of a link: list them, and restore one. */
import {
  type LinkRevision,
  LinkRevisionPage,
  ListRevisionsQuery,
  RestoreRevision,
  RevisionNumber,
} from "../../core/contract/link-revisions.ts";
import { Link, UpdateLink } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { changedMembers, REVISION_MEMBERS, type RevisedContent } from "../../core/links/link-members.ts";
import { writesRules } from "../../core/links/link-validation.ts";
import { timestamp } from "../../core/time.ts";
import type { ChangeAuthor } from "../../store/accounts/api-keys.ts";
import { updateLinks } from "../../store/links/bulk-changes.ts";
import {
  findRevision,
  listRevisions,
  type RevisionPage,
  type RevisionRecord,
} from "../../store/links/link-revisions.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { soleOutcome } from "../../store/directory/links-request.ts";
import { readLink, RevisionMismatchError, throwNotUpdated } from "../../store/links/links.ts";
import { withoutDeletedImage } from "../../store/social-images.ts";
import { createHandlers, respondJson, respondPage, wirePage } from "../context.ts";
import { access } from "../middleware/access.ts";
import { body, idempotent, parseOrThrow, pathParam, query, type RequestContext } from "../middleware/input.ts";
import { postDoc, type RouteDoc } from "../openapi/route-doc.ts";
import { expectedRevisions, loadLink } from "./load-link.ts";
import { linkContentProblems, linkResponse, type LinkView, wireContent } from "./wire.ts";

const listRevisionsDoc: RouteDoc = {
  id: "listLinkRevisions",
  tag: "Links",
  summary: "List link revisions",
  description:
    "Returns the content of the link after each change, newest first, starting with the current content. To count clicks by revision, use `group_by=revision`. Deleting the link erases its history.",
  ok: { status: 200, description: "A page of revisions.", schema: LinkRevisionPage, headers: ["Link"] },
};

const restoreRevisionDoc = postDoc({
  id: "restoreLinkRevision",
  tag: "Links",
  summary: "Restore a link revision",
  description:
    "Restores the content of the link at this revision. The restored content becomes a new revision, so that you can undo the change. It is validated as in a PATCH request. If the link already has this content, nothing changes. A disabled link remains disabled.",
  params: { revision: RevisionNumber },
  ok: { status: 200, description: "The restored link.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-Match"],
  errors: ["not_found", "precondition_failed", "plan_upgrade_required", "domain_transferred"],
});

export const listRevisionsRoute = createHandlers(
  access("links:read", listRevisionsDoc),
  loadLink,
  query(ListRevisionsQuery),
  async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const page = await listRevisions(c.env, c.var.link, cursor === undefined ? null : Number(cursor), limit);
    return respondPage(c, wireRevisionPage(page, c.var.hosts));
  },
);

/** Attempts of a restore without `If-Match` while others change the link. */
const TRIES_MAX = 5;

export const restoreRevisionRoute = createHandlers(
  access("links:write", restoreRevisionDoc),
  loadLink,
  body(RestoreRevision),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts, idempotentRequest, link } = c.var;
      const expected = expectedRevisions(c);
      if (expected && !expected.includes(link.revision)) throw new RevisionMismatchError(link.revision);
      // Not checked before the body: a first attempt whose response was lost may have dropped the revision as the
      // oldest.
      const { content: stored } = await requireRevision(c.env, link, pathParam(c, "revision"));
      const content = { ...stored, social: await withoutDeletedImage(c.env, caller, stored.social) };
      const responseOf = (restored: LinkView) => linkResponse(restored, hosts, 200);
      // Validates and writes against the same revision: a change in between may have brought members that were not
      // checked here.
      for (let now = link, tries = 1; ; now = await readLink(c.env, caller, link.id), tries++) {
        const sent = restoringBody(content, now, hosts);
        await requireValid(sent, c.var, c.env);
        const changes = Object.keys(sent).length === 0 ? {} : content;
        const update = { id: link.id, revision: now.revision, changes };
        const [done] = await updateLinks(c.env, c.executionCtx, caller, hosts, {
          items: [update],
          idempotentRequest,
          stored: {
            ofItem: (outcome) => ("link" in outcome ? responseOf(outcome.link) : null),
            ofRequest: ([response]) => response,
          },
        });
        const outcome = soleOutcome(done);
        if ("link" in outcome) return respondJson(c, responseOf(outcome.link));
        if (outcome.refusal.code !== "precondition_failed") throw outcome.refusal;
        // A change after the `If-Match` comparison gets the same error as a mismatch.
        if (expected || tries === TRIES_MAX) return throwNotUpdated(c.env, caller, link.id);
      }
    }),
);

/** @throws ApiError not_found */
async function requireRevision(env: Env, link: LinkRecord, number: string): Promise<RevisionRecord> {
  const revision = /^[1-9][0-9]{0,14}$/.test(number) ? await findRevision(env, link, Number(number)) : null;
  if (!revision) throw new ApiError("not_found", "This revision does not exist, or is no longer stored.");
  return revision;
}

/** Destinations and plans may have changed since, so restored content is validated as if it were sent. */
async function requireValid(sent: UpdateLink, context: RequestContext, env: Env): Promise<void> {
  if (writesRules(sent) && context.caller.plan !== "premium") throw new ApiError("plan_upgrade_required");
  parseOrThrow(UpdateLink, sent, await linkContentProblems(sent, context, env));
}

export function wireRevisionPage({ revisions, before, isComplete }: RevisionPage, hosts: Hosts): LinkRevisionPage {
  const last = revisions.at(-1);
  const data = revisions.map((each, i) => wireRevision(each, revisions[i + 1] ?? before, isComplete, hosts));
  const next = before && last ? String(last.revision) : null;
  return { ...wirePage(data, next), complete: isComplete };
}

/** @param before  null when this is the oldest stored revision */
function wireRevision(
  each: RevisionRecord,
  before: RevisionRecord | null,
  isComplete: boolean,
  hosts: Hosts,
): LinkRevision {
  const state = wireState(each, hosts);
  const changed = before ? changedMembers(REVISION_MEMBERS, state, wireState(before, hosts)) : isComplete ? [] : null;
  return {
    revision: each.revision,
    changed_at: timestamp(each.changedAt),
    changed_by: wireAuthor(each.changedBy),
    changed,
    ...state,
  };
}

function wireState({ content, isDisabled }: RevisionRecord, hosts: Hosts) {
  return { ...wireContent(content, hosts), ...(isDisabled ? { disabled: true as const } : {}) };
}

function wireAuthor(author: ChangeAuthor | null): LinkRevision["changed_by"] {
  if (author === null) return null;
  const [type, keyId] = author.split(":");
  if (type === "key") return { type, key_id: keyId ?? "" };
  return { type: type as Exclude<ChangeAuthor, `key:${string}`> };
}

const CONTENT_MEMBERS = REVISION_MEMBERS.filter((member) => member !== "disabled");

/** The PATCH body that turns `current` into `wanted`. */
function restoringBody(wanted: RevisedContent, current: RevisedContent, hosts: Hosts): UpdateLink {
  const [to, from] = [wireContent(wanted, hosts), wireContent(current, hosts)];
  const changed = changedMembers(CONTENT_MEMBERS, to, from);
  const body = { ...to, aliases: to.aliases?.map(({ slug, domain }) => ({ slug, domain })) };
  return Object.fromEntries(changed.map((member) => [member, body[member] ?? null]));
}
