/** What differs between two states of a link, as they are on the wire. Pure. */

/** The members of the first, or of both, that do not have the same value. A member that is left out is one as well. */
export function changedMembers<Member extends string>(
  members: readonly Member[],
  one: Readonly<Partial<Record<Member, unknown>>>,
  other: Readonly<Partial<Record<Member, unknown>>>,
): Member[] {
  return members.filter((member) => JSON.stringify(one[member]) !== JSON.stringify(other[member]));
}
