/** Links in the API reference. */
import { BulkDeleteResult, BulkResult } from "../../core/contract/bulk-links.ts";
import { Backtest } from "../../core/contract/backtests.ts";
import { LinkRevisionPage, RevisionNumber } from "../../core/contract/link-revisions.ts";
import { Link, LinkPage } from "../../core/contract/links.ts";
import { Resolution } from "../../core/contract/resolutions.ts";
import { BULK_LINKS_MAX } from "../../core/limits.ts";
import { routeDoc } from "../openapi/route-doc.ts";

export const createLinkDoc = routeDoc({
  id: "createLink",
  tag: "Links",
  summary: "Create a link",
  ok: { status: 201, description: "The new link.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["slug_taken", "quota_exceeded", "idempotency_conflict"],
});

export const createLinksDoc = routeDoc({
  id: "createLinks",
  tag: "Links",
  summary: `Create up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is made or refused for itself; where the account has no room for all, the first are made. Rules on the Free plan, and more links than the account's limit on bulk requests has left, refuse the whole request.",
  ok: {
    status: 200,
    description: "One result for each link.",
    schema: BulkResult,
    headers: ["Idempotent-Replayed"],
  },
  requestHeaders: ["Idempotency-Key"],
  errors: ["quota_exceeded", "idempotency_conflict"],
});

export const updateLinksDoc = routeDoc({
  id: "updateLinks",
  tag: "Links",
  summary: `Update up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is changed or refused for itself, as a PATCH of it would be. One that stands there twice is changed twice, in order. Rules on the Free plan, and more links than the account's limit on bulk requests has left, refuse the whole request.",
  ok: {
    status: 200,
    description: "One result for each link: as it is now, or why it was not changed.",
    schema: BulkResult,
    headers: ["Idempotent-Replayed"],
  },
  requestHeaders: ["Idempotency-Key"],
  errors: ["quota_exceeded", "idempotency_conflict"],
});

export const deleteLinksDoc = routeDoc({
  id: "deleteLinks",
  tag: "Links",
  summary: `Delete up to ${BULK_LINKS_MAX} links`,
  description:
    "Each link is deleted or refused for itself, as a DELETE of it would be. With `erase` the clicks are erased too, also of links that were deleted before. More links than the account's limit on bulk requests has left refuse the whole request.",
  ok: {
    status: 200,
    description: "One result for each link.",
    schema: BulkDeleteResult,
    headers: ["Idempotent-Replayed"],
  },
  requestHeaders: ["Idempotency-Key"],
  errors: ["quota_exceeded", "idempotency_conflict"],
});

export const listLinksDoc = routeDoc({
  id: "listLinks",
  tag: "Links",
  summary: "List links",
  description:
    "One page looks through a bounded number of links, so a page may be shorter than `limit`, or empty, although `has_more` is true: go on with `next_cursor` until it is null, and every match comes once.",
  ok: { status: 200, description: "A page of links.", schema: LinkPage, headers: ["Link"] },
});

export const getLinkDoc = routeDoc({
  id: "getLink",
  tag: "Links",
  summary: "Retrieve a link",
  ok: { status: 200, description: "The link.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-None-Match"],
});

export const updateLinkDoc = routeDoc({
  id: "updateLink",
  tag: "Links",
  summary: "Update a link",
  description:
    "Atomic: all of the body is applied, or nothing. The location that made the change serves it at once, busy ones with their next click, every one within ten seconds.",
  ok: { status: 200, description: "The link as it is now.", schema: Link, headers: ["ETag"] },
  requestHeaders: ["If-Match"],
  errors: ["precondition_failed", "domain_transferred"],
});

export const deleteLinkDoc = routeDoc({
  id: "deleteLink",
  tag: "Links",
  summary: "Delete a link",
  description:
    "The short URL answers 410 from now on, and its slug is never issued again. Destination and rules are gone, the clicks are kept as the account's history. With `erase=true` they are erased as well, within minutes: this works for links too that were deleted before.",
  ok: { status: 204, description: "Deleted." },
  requestHeaders: ["If-Match"],
  errors: ["precondition_failed"],
});

export const listRevisionsDoc = routeDoc({
  id: "listLinkRevisions",
  tag: "Links",
  summary: "List a link's revisions",
  description:
    "What the link was from one change to the next, newest first, beginning with what it is now. Clicks are counted by revision with `group_by=revision`. Deleting the link erases its history.",
  ok: { status: 200, description: "A page of revisions.", schema: LinkRevisionPage, headers: ["Link"] },
});

export const restoreRevisionDoc = routeDoc({
  id: "restoreLinkRevision",
  tag: "Links",
  summary: "Restore a revision of a link",
  description:
    "Makes the link what it was at this revision, as a new revision, so that it can be taken back. Its content is checked as that of a PATCH; nothing changes where the link is so already. Whether the link is switched off stays as it is.",
  params: { revision: RevisionNumber },
  ok: { status: 200, description: "The link as it is now.", schema: Link, headers: ["ETag", "Idempotent-Replayed"] },
  requestHeaders: ["If-Match", "Idempotency-Key"],
  errors: [
    "not_found",
    "precondition_failed",
    "plan_upgrade_required",
    "domain_transferred",
    "quota_exceeded",
    "idempotency_conflict",
  ],
});

export const resolveLinkDoc = routeDoc({
  id: "resolveLink",
  tag: "Links",
  summary: "Try a pretend visitor",
  description:
    "Where this visitor would go, by which rule, and why the rules before did not match. With `routing`, rules are tried before they are saved. Nothing is counted or stored.",
  ok: { status: 200, description: "The decision.", schema: Resolution, headers: ["Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["quota_exceeded", "idempotency_conflict"],
});

export const backtestLinkDoc = routeDoc({
  id: "backtestLink",
  tag: "Links",
  summary: "Try rules on past clicks",
  description:
    "What these rules would have done with the clicks of the range: how many each would have decided, and how many would have gone elsewhere. Of a click whose rule depends on something that is not logged, as a part of the query that no rule asked for then, no rule is told: it is `undecided`. Nothing is counted or stored, and the link stays as it is.",
  ok: { status: 200, description: "What would have changed.", schema: Backtest, headers: ["Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["range_too_large", "quota_exceeded", "idempotency_conflict"],
});
