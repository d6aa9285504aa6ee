/** The history of a link on the wire, and a revision as the body of the PATCH that would bring it back. */
import type { LinkRevision, LinkRevisionPage } from "../../core/contract/link-revisions.ts";
import type { UpdateLink } from "../../core/contract/links.ts";
import { changedMembers, REVISION_MEMBERS } from "../../core/links/content-changes.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { ChangeAuthor } from "../../store/links/change-author.ts";
import type { LinkContent } from "../../store/links/link-rows.ts";
import type { LinkRevision as StoredRevision, RevisionPage } from "../../store/links/link-revisions.ts";
import { wireContent } from "./wire.ts";

export function wireRevisionPage({ revisions, before, isComplete }: RevisionPage): LinkRevisionPage {
  const last = revisions.at(-1);
  const data = revisions.map((each, i) => wireRevision(each, revisions[i + 1] ?? before, isComplete));
  const next = before && last ? String(last.revision) : null;
  return { data, has_more: next !== null, next_cursor: next, complete: isComplete };
}

/** @param before  null when it is the oldest that is kept */
function wireRevision(each: StoredRevision, before: StoredRevision | null, isComplete: boolean): LinkRevision {
  const state = wireState(each);
  const changed = before ? changedMembers(REVISION_MEMBERS, state, wireState(before)) : isComplete ? [] : null;
  return {
    revision: each.revision,
    changed_at: timestamp(each.changedAt),
    changed_by: wireAuthor(each.changedBy),
    changed,
    ...state,
  };
}

function wireState({ content, isDisabled }: StoredRevision) {
  return { ...wireContent(content), ...(isDisabled ? { disabled: true as const } : {}) };
}

function wireAuthor(author: ChangeAuthor | null): LinkRevision["changed_by"] {
  if (author === null) return null;
  const [type, keyId] = author.split(":");
  if (type === "key") return { type, key_id: keyId ?? "" };
  return { type: type as Exclude<ChangeAuthor, `key:${string}`> };
}

/** The members of a PATCH that makes `current` what `wanted` was. */
export function restoringBody(wanted: LinkContent, current: LinkContent): UpdateLink {
  const [to, from] = [wholeBody(wanted), wholeBody(current)];
  const changed = changedMembers(Object.keys(to) as (keyof UpdateLink)[], to, from);
  return Object.fromEntries(changed.map((member) => [member, to[member]]));
}

/** Every member, cleared ones too. */
function wholeBody(content: LinkContent): Required<UpdateLink> {
  const {
    title = null,
    tags = [],
    starts_at = null,
    fallback_url = null,
    forward_query = false,
    ...set
  } = wireContent(content);
  return { ...set, title, tags, starts_at, fallback_url, forward_query };
}
