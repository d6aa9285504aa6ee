/**
 * A link's rules, prepared once for all of its visits: each visit tests the rules up to the one that matches. Pure.
 */
import type { Visitor } from "../visitors/visitor.ts";
import {
  CONDITION_KEYS,
  type ConditionKey,
  CONDITIONS,
  type ConditionValues,
  isUnknownKey,
  type PlainCondition,
} from "./conditions.ts";
import type { RoutingRule, RuleCondition } from "./routing.ts";

export type QueryCondition = ConditionValues["query"];

type Test = (visitor: Visitor) => boolean;

interface Check {
  key: string;
  holds: Test;
}

interface CompiledCondition {
  /** In the order of their keys. */
  checks: readonly Check[];
  not: readonly Check[] | null;
}

export interface CompiledRouting {
  /** Of each rule, in their order. */
  conditions: readonly CompiledCondition[];
  /** Those of all rules, that of a rule before the one in its `not`. */
  queryConditions: readonly QueryCondition[];
  queryTests: readonly Test[];
}

/** One look-up for all rules of a link. */
const compiled = new WeakMap<readonly RoutingRule[], CompiledRouting>();

export function compiledRouting(routing: readonly RoutingRule[]): CompiledRouting {
  let known = compiled.get(routing);
  if (!known) {
    const queryConditions = routing.flatMap(({ if: { query, not } }) =>
      [query, not?.query].filter((wanted) => wanted !== undefined),
    );
    known = {
      conditions: routing.map((rule) => compile(rule.if)),
      queryConditions,
      queryTests: queryConditions.map(CONDITIONS.query.test),
    };
    compiled.set(routing, known);
  }
  return known;
}

/** The first key, in their order, that keeps a visitor from matching; null when all hold. */
export function failedKey({ checks, not }: CompiledCondition, visitor: Visitor): string | null {
  const failed = failedCheck(checks, visitor);
  if (failed !== null) return failed;
  return not !== null && failedCheck(not, visitor) === null ? "not" : null;
}

/** The same of a condition by itself. @internal */
export function failedOn(condition: RuleCondition, visitor: Visitor): string | null {
  return failedKey(compile(condition), visitor);
}

function failedCheck(checks: readonly Check[], visitor: Visitor): string | null {
  // By index: an iterator would allocate on every visit.
  for (let i = 0; i < checks.length; i++) if (checks[i]?.holds(visitor) === false) return checks[i]?.key ?? null;
  return null;
}

function compile(condition: RuleCondition): CompiledCondition {
  return { checks: checksOf(condition), not: condition.not ? checksOf(condition.not) : null };
}

function checksOf(condition: RuleCondition): Check[] {
  const never = unknownKeys(condition).map((key) => ({ key, holds: () => false }));
  return [...never, ...CONDITION_KEYS.flatMap((key) => checkOf(key, condition))];
}

/**
 * Keys that a later release has written while two releases run side by side, or before it was rolled back. A rule with
 * one never matches, also when the key is in its `not`: without the check such a rule would match every visitor.
 */
function unknownKeys(condition: RuleCondition): string[] {
  const own = Object.keys(condition).filter(isUnknownKey);
  return condition.not ? [...own, ...unknownKeys(condition.not)] : own;
}

function checkOf<K extends ConditionKey>(key: K, condition: PlainCondition): Check[] {
  const wanted: PlainCondition[K] = condition[key];
  if (wanted === undefined) return [];
  return [{ key, holds: CONDITIONS[key].test(wanted) }];
}
