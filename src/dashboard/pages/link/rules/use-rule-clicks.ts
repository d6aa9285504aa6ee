/** Clicks by the rule that decided them, for the list of rules. */
import { useQuery } from "@tanstack/react-query";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { clicksOfRule } from "./rule-clicks.ts";

/** Clicks of the saved rules and of everyone else. The list is complete without them: an error shows none. */
export function useRuleClicks(linkId: string, saved: readonly RoutingRule[]): (ruleKey: string) => number | null {
  const { api, mode } = useApi();
  const { data } = useQuery({
    // As all statistics of the link, it is fetched again when clicks arrive.
    queryKey: [mode, "stats", linkId, "rules"],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id: linkId }, query: { group_by: "rule" } })),
  });
  return data ? (ruleKey) => clicksOfRule(data.buckets, saved, ruleKey) : () => null;
}
