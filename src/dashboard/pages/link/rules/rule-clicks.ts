/** The clicks that each rule of the list has decided. */
import { OTHER_KEY } from "../../../../core/clicks/counting/groupings.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { canonicalText, DEFAULT_RULE_KEY, type RoutingRule } from "../../../../core/links/routing.ts";
import { useLinkBuckets } from "../use-link.ts";

/**
 * @returns null for an unsaved rule, and for one whose clicks are added up with those of others
 * @internal
 */
export function clicksOfRule(buckets: Stats["buckets"], saved: readonly RoutingRule[], ruleKey: string): number | null {
  const isSaved = ruleKey === DEFAULT_RULE_KEY || saved.some((rule) => canonicalText(rule.if) === ruleKey);
  if (!isSaved) return null;
  const found = buckets.find(({ key }) => key === ruleKey);
  if (found) return found.clicks;
  return buckets.some(({ key }) => key === OTHER_KEY) ? null : 0;
}

/** Clicks of the saved rules and of everyone else. The list is complete without them, so errors are not shown. */
export function useRuleClicks(linkId: string, saved: readonly RoutingRule[]): (ruleKey: string) => number | null {
  const buckets = useLinkBuckets(linkId, "rule");
  return buckets ? (ruleKey) => clicksOfRule(buckets, saved, ruleKey) : () => null;
}
