/** Which of the clicks by rule belong to a rule of the list. Pure. */
import type { Stats } from "../../../../core/contract/stats.ts";
import { OTHER_KEY } from "../../../../core/clicks/groupings.ts";
import { canonicalText, DEFAULT_RULE_KEY, type RoutingRule } from "../../../../core/links/routing.ts";

/** @returns null for a rule that is not saved, and for one whose clicks are summed up with those of others */
export function clicksOfRule(buckets: Stats["buckets"], saved: readonly RoutingRule[], ruleKey: string): number | null {
  const isSaved = ruleKey === DEFAULT_RULE_KEY || saved.some((rule) => canonicalText(rule.if) === ruleKey);
  if (!isSaved) return null;
  const found = buckets.find(({ key }) => key === ruleKey);
  if (found) return found.clicks;
  return buckets.some(({ key }) => key === OTHER_KEY) ? null : 0;
}
