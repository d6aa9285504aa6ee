/** Bodies of PATCH requests. */

/** What a PATCH changes: the members that were sent. `members` names every member of `Shape`, or fails to compile. */
export function sentMembers<Shape extends object>(members: {
  [Member in keyof Shape]-?: Shape[Member] | undefined;
}): Partial<Shape> {
  const sent = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent) as Partial<Shape>;
}
