/** Differences between two states of a link in wire form. Pure, and without schemas: the dashboard uses it. */

/** The members of a link that revisions store, in the order in which changes are listed. */
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

/** The members whose values differ. An omitted member differs from every value. */
export function changedMembers<Member extends string>(
  members: readonly Member[],
  one: Readonly<Partial<Record<Member, unknown>>>,
  other: Readonly<Partial<Record<Member, unknown>>>,
): Member[] {
  return members.filter((member) => JSON.stringify(one[member]) !== JSON.stringify(other[member]));
}
