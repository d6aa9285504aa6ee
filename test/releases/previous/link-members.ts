/** The members of links in the release before the controls of visits. It reads and writes no other columns. */
import { LINK_MEMBER_LIST as MEMBERS, UNSET_CONTENT as UNSET } from "../../../src/core/links/link-members.ts";

// oxlint-disable-next-line oxc/no-barrel-file -- the other exports are unchanged
export * from "../../../src/core/links/link-members.ts";

const KNOWN = ["url", "routing", "expires_at", "title", "tags", "starts_at", "fallback_url", "forward_query"];

export const LINK_MEMBER_LIST = MEMBERS.filter(({ name }) => KNOWN.includes(name));

export const UNSET_CONTENT = Object.fromEntries(
  LINK_MEMBER_LIST.map(({ field }) => [field, UNSET[field]]),
) as unknown as typeof UNSET;
