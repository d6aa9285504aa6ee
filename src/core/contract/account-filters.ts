/** Filters of questions about all links of an account: those of a link's, and by link, tag and domain. */
import type { AccountFilter, AccountGrouping } from "../clicks/account-stats.ts";
import { GROUPINGS } from "../clicks/groupings.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { TAG_MAX_CHARS } from "../limits.ts";
import { tagKey } from "../links/tags.ts";
import { sentFilters } from "./filters.ts";

/** The grouping that each filter is by. A link is named by its id, as elsewhere. */
const GROUPING_OF_FILTER = {
  ...(Object.fromEntries(GROUPINGS.map((name) => [name, name])) as { [Name in (typeof GROUPINGS)[number]]: Name }),
  link_id: "link",
  tag: "tag",
  domain: "domain",
} as const satisfies Record<string, AccountGrouping>;

export type AccountFilterName = keyof typeof GROUPING_OF_FILTER;
export const ACCOUNT_FILTERS = Object.keys(GROUPING_OF_FILTER) as readonly AccountFilterName[];

/** Left out without filters. */
export function accountFiltersOf(sent: Partial<Record<AccountFilterName, string | undefined>>): {
  filters?: AccountFilter[];
} {
  const filters = sentFilters(ACCOUNT_FILTERS, sent).map(({ grouping: name, values }): AccountFilter => {
    const grouping = GROUPING_OF_FILTER[name];
    return { grouping, values: values.map((value) => storedKey(grouping, value)) };
  });
  return filters.length > 0 ? { filters } : {};
}

/** Tags and domains are found as lists of links find them. Folding what is too long for a tag would take long. */
function storedKey(grouping: AccountGrouping, value: string): string {
  if (grouping === "tag") return value.length > 2 * TAG_MAX_CHARS ? value : tagKey(value);
  return grouping === "domain" ? normalizedDomain(value) : value;
}
