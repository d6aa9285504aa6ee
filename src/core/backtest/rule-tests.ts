/** The tests of rules, by condition key. Pure. */
import { type ConditionKey, CONDITIONS, type ConditionValues, type PlainCondition } from "../links/conditions.ts";
import type { RoutingRule } from "../links/routing.ts";

export interface RuleTest<V> {
  /** Index of the rule. */
  rule: number;
  /** Whether the test is in the rule's `not`. */
  isInNot: boolean;
  wanted: V;
}

export function testsOf<K extends ConditionKey>(
  routing: readonly RoutingRule[],
  key: K,
): RuleTest<ConditionValues[K]>[] {
  return routing.flatMap(({ if: condition }, rule) => [
    ...testOf(key, condition, { rule, isInNot: false }),
    ...testOf(key, condition.not ?? {}, { rule, isInNot: true }),
  ]);
}

function testOf<K extends ConditionKey>(
  key: K,
  condition: PlainCondition,
  place: Omit<RuleTest<unknown>, "wanted">,
): RuleTest<ConditionValues[K]>[] {
  const wanted: PlainCondition[K] = condition[key];
  return wanted === undefined ? [] : [{ ...place, wanted }];
}

/** Whether this release knows all conditions of rules. Their sender may run a later release. */
export function knowsConditions(routing: readonly RoutingRule[]): boolean {
  return routing.every(({ if: { not = {}, ...condition } }) =>
    [...Object.keys(condition), ...Object.keys(not)].every((key) => Object.hasOwn(CONDITIONS, key)),
  );
}
