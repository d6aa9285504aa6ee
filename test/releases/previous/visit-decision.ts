/** Decisions in the release before the controls of visits: it ignores members that it does not know. */
import { LINK_MEMBER_LIST as MEMBERS } from "../../../src/core/links/link-members.ts";
import type { LinkSnapshot } from "../../../src/core/links/link-snapshot.ts";
import {
  decideVisit as decide,
  type LinkLookup,
  type VisitDecision,
  type VisitRequest,
} from "../../../src/core/links/visit-decision.ts";
import { LINK_MEMBER_LIST } from "./link-members.ts";

// oxlint-disable-next-line oxc/no-barrel-file -- the other exports are unchanged
export * from "../../../src/core/links/visit-decision.ts";

const KNOWN = new Set(LINK_MEMBER_LIST.map(({ field }) => field));
const UNKNOWN = MEMBERS.map(({ field }) => field).filter((field) => !KNOWN.has(field));

/** A link with the members that the release knows. */
export function asKnown(link: LinkSnapshot): LinkSnapshot {
  return { ...link, ...Object.fromEntries(UNKNOWN.map((field) => [field, undefined])) };
}

export function decideVisit(request: VisitRequest, lookup: LinkLookup): VisitDecision {
  return decide(request, lookup.kind === "found" ? { ...lookup, link: asKnown(lookup.link) } : lookup);
}
