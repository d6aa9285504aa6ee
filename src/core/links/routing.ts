/**
 * Chooses the destination of a visit. It first tests whether the link is open, then its rules in order (the first match
 * wins), and then uses the link's url. A link's rules are prepared once for all of its visits. Also builds the
 * canonical text of conditions. Pure: no I/O, no clock, no randomness.
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

/** The value of a rule's `query` condition. */
export type QueryCondition = ConditionValues["query"];

type Test = (visitor: Visitor) => boolean;

interface Check {
  key: string;
  holds: Test;
}

interface CompiledCondition {
  /** In key order. */
  checks: readonly Check[];
  not: readonly Check[] | null;
}

interface CompiledRouting {
  /** Conditions of the rules, in rule order. */
  conditions: readonly CompiledCondition[];
  /** Query conditions of all rules; a rule's own comes before the one in its `not`. */
  queryConditions: readonly QueryCondition[];
  queryTests: readonly Test[];
}

/** Prepared rules of each link, found with one look-up. */
const compiled = new WeakMap<readonly RoutingRule[], CompiledRouting>();

function compiledRouting(routing: readonly RoutingRule[]): CompiledRouting {
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

/** The first key, in order, that prevents a match; null if all hold. */
function failedKey({ checks, not }: CompiledCondition, visitor: Visitor): string | null {
  const failed = failedCheck(checks, visitor);
  if (failed !== null) return failed;
  return not !== null && failedCheck(not, visitor) === null ? "not" : null;
}

/** The first key that prevents a single condition from matching. @internal */
export function failedOn(condition: RuleCondition, visitor: Visitor): string | null {
  return failedKey(compile(condition), visitor);
}

function failedCheck(checks: readonly Check[], visitor: Visitor): string | null {
  // An index, because an iterator would allocate on every visit.
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
 * Keys that only a later release knows, written during a rollout or before a rollback. A rule with such a key never
 * matches, even if the key is in its `not`: without this check, such a rule would match every visitor.
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

export interface RuleCondition extends PlainCondition {
  /** Met when at least one of these conditions is not met. */
  not?: PlainCondition;
}

export interface RoutingRule {
  if: RuleCondition;
  to: string;
}

/** The members of a link that routing reads. Plain data, cached in isolates and sent to Durable Objects. */
export interface RoutableLink {
  url: string;
  routing: RoutingRule[];
  /** Epoch ms, or null. */
  expiresAt: number | null;
  /** Epoch ms. This and the member below are absent if not set. */
  startsAt?: number | null;
  /** Destination before `startsAt` and from `expiresAt` on. */
  fallbackUrl?: string | null;
}

/** `rule` is the index in `routing`, or -1 when none matched. */
type RoutingDecision =
  | { kind: "redirect"; url: string; rule: number }
  | { kind: "expired" }
  /** The visit is before `startsAt`. */
  | { kind: "not_open" };

/** Statistics key of visits that matched no rule. */
export const DEFAULT_RULE_KEY = "default";

export function chooseDestination(link: RoutableLink, visitor: Visitor): RoutingDecision {
  if (isExpired(link, visitor.at)) return { kind: "expired" };
  if (isNotOpen(link, visitor.at)) return { kind: "not_open" };
  const rule = matchingRule(link.routing, visitor);
  // An index of -1 would be looked up as a property called "-1", which takes longer than testing a rule.
  const to = rule < 0 ? undefined : link.routing[rule]?.to;
  return { kind: "redirect", url: to ?? link.url, rule };
}

/** The index of the first rule that matches; -1 when none does. */
function matchingRule(routing: readonly RoutingRule[], visitor: Visitor): number {
  if (routing.length === 0) return -1;
  const { conditions } = compiledRouting(routing);
  // An index, because an iterator or a callback would allocate on every visit.
  for (let rule = 0; rule < conditions.length; rule++) {
    const condition = conditions[rule];
    if (condition && failedKey(condition, visitor) === null) return rule;
  }
  return -1;
}

const TIME_CONDITIONS = ["after", "before", "time"] as const satisfies readonly ConditionKey[];

/** Whether any rule tests the time of a visit. */
export function testsTime({ routing }: Pick<RoutableLink, "routing">): boolean {
  const isTested = (condition: PlainCondition | undefined) =>
    condition !== undefined && TIME_CONDITIONS.some((key) => condition[key] !== undefined);
  return routing.some((rule) => isTested(rule.if) || isTested(rule.if.not));
}

/** Whether a link has expired. True at the exact instant of expiry. */
export function isExpired(link: Pick<RoutableLink, "expiresAt">, at: number): boolean {
  return link.expiresAt !== null && at >= link.expiresAt;
}

/** Whether a link has not opened yet. False at the exact instant of the start. */
export function isNotOpen({ startsAt }: Pick<RoutableLink, "startsAt">, at: number): boolean {
  return startsAt !== undefined && startsAt !== null && at < startsAt;
}

/** The key under which a rule's clicks are counted: keys and values in alphabetical order, `not` last. */
export function canonicalText(condition: RuleCondition): string {
  const parts = CONDITION_KEYS.flatMap((key) => textOf(key, condition));
  for (const [key, value] of Object.entries(condition)) {
    if (isUnknownKey(key)) parts.push(`${key}=${JSON.stringify(value)}`);
  }
  if (condition.not) parts.push(`not(${canonicalText(condition.not)})`);
  return parts.join("&");
}

function textOf<K extends ConditionKey>(key: K, condition: PlainCondition): string[] {
  const wanted: PlainCondition[K] = condition[key];
  return wanted === undefined ? [] : [CONDITIONS[key].canonicalText(wanted)];
}

interface TraceStep {
  rule: string;
  matched: boolean;
  failed_on: string | null;
}

/** Each rule up to the one that matched, with the key on which the others failed. */
export function traceRules(link: RoutableLink, visitor: Visitor): TraceStep[] {
  const steps: TraceStep[] = [];
  for (const [index, condition] of compiledRouting(link.routing).conditions.entries()) {
    const failed = failedKey(condition, visitor);
    steps.push({ rule: canonicalText(link.routing[index]?.if ?? {}), matched: failed === null, failed_on: failed });
    if (failed === null) break;
  }
  return steps;
}

/**
 * Records which `query` conditions of a link hold for a visit, for storage with clicks: no other part of a query is
 * stored. Conditions are numbered in rule order; a rule's own comes before the one in its `not`. Bit i of a hexadecimal
 * number stands for the i-th.
 */

const BITS_OF_DIGIT = 4;

/** @returns "" if none holds, or the link has no such conditions */
export function metQueryConditions({ routing }: RoutableLink, visitor: Visitor): string {
  if (routing.length === 0) return "";
  const { queryTests } = compiledRouting(routing);
  return queryTests.length === 0 ? "" : bitsOf(queryTests.map((holds) => holds(visitor)));
}

/** The `query` conditions of a link's rules, in the order of their bits. */
export function queryConditions(routing: readonly RoutingRule[]): readonly QueryCondition[] {
  return compiledRouting(routing).queryConditions;
}

/** @param bits  of a click, from `metQueryConditions` @param index  of the condition */
export function wasMet(bits: string, index: number): boolean {
  const digit = bits.charAt(bits.length - 1 - Math.floor(index / BITS_OF_DIGIT)) || "0";
  return (Number.parseInt(digit, 16) & (1 << (index % BITS_OF_DIGIT))) !== 0;
}

function bitsOf(held: readonly boolean[]): string {
  let digits = "";
  for (let i = 0; i < held.length; i += BITS_OF_DIGIT) {
    const digit = held.slice(i, i + BITS_OF_DIGIT).reduce((sum, isMet, bit) => sum + (isMet ? 1 << bit : 0), 0);
    digits = digit.toString(16) + digits;
  }
  return digits.replace(/^0+/, "");
}
