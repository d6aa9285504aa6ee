/** What differs between two states of a link, as they are on the wire. Pure, and without schemas: the dashboard uses it. */

/** What a revision has of a link, in the order in which changes are listed. */
export const REVISION_MEMBERS = [
  "url",
  "routing",
  "expires_at",
  "title",
  "tags",
  "starts_at",
  "fallback_url",
  "forward_query",
  "disabled",
] as const;

export type RevisionMember = (typeof REVISION_MEMBERS)[number];

/** The members of the first, or of both, that do not have the same value. A member that is left out is one as well. */
export function changedMembers<Member extends string>(
  members: readonly Member[],
  one: Readonly<Partial<Record<Member, unknown>>>,
  other: Readonly<Partial<Record<Member, unknown>>>,
): Member[] {
  return members.filter((member) => JSON.stringify(one[member]) !== JSON.stringify(other[member]));
}
