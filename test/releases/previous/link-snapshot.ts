/** Snapshots in the release before the controls of visits. */
import type { LinkSnapshot } from "../../../src/core/links/link-snapshot.ts";

// oxlint-disable-next-line oxc/no-barrel-file -- the other exports are unchanged
export * from "../../../src/core/links/link-snapshot.ts";

export function openStateOf(): "active" {
  return "active";
}

export function isOpen({ state }: Pick<LinkSnapshot, "state">): boolean {
  return state === "active";
}
