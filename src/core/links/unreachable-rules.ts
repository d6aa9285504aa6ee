/** Finds rules that no visitor can reach, because of an earlier rule. Pure. */
import type { Problem } from "../errors.ts";
import {
  CONDITION_KEYS,
  type ConditionKey,
  CONDITIONS,
  type ConditionValues,
  type PlainCondition,
} from "./conditions.ts";
import { canonicalText, type RuleCondition } from "./routing.ts";

/** A short rule may be covered by a long one, so 100 messages with its whole text could have six megabytes. */
const SHOWN_MAX_CHARS = 200;

interface IndexedRule {
  index: number;
  if: RuleCondition;
}

/** The widest earlier rule among those that differ only in `percent`. Without `percent` a rule matches all visitors. */
interface WidestRule extends IndexedRule {
  percent: number;
}

/**
 * Reports each rule that no visitor can reach: an earlier rule covers it (see `EarlierRules`), or differs only in a
 * greater `percent`.
 */
export function unreachableRuleProblems(rules: readonly IndexedRule[]): Problem[] {
  const earlierRules = new EarlierRules();
  const widest = new Map<string, WidestRule>();
  return rules.flatMap((rule) => {
    const { percent = Infinity, ...others } = rule.if;
    const key = canonicalText(others);
    const sameOthers = widest.get(key);
    const earlier = sameOthers && sameOthers.percent >= percent ? sameOthers : earlierRules.covering(rule);
    if (earlier) return [unreachable(rule.index, reason(earlier, rule))];
    widest.set(key, { ...rule, percent });
    earlierRules.add(rule);
    return [];
  });
}

function reason(earlier: IndexedRule, later: IndexedRule): string {
  const text = canonicalText(earlier.if);
  const shown = text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS).toWellFormed()}…` : text;
  return text === canonicalText(later.if)
    ? `routing.${earlier.index} has the same condition (${shown}) and comes first`
    : `routing.${earlier.index} matches all of its visitors (${shown}) and comes first`;
}

function unreachable(index: number, why: string): Problem {
  const path = `routing.${index}`;
  return { path, code: "unreachable_rule", message: `${path} can never match: ${why}` };
}

/**
 * Finds an earlier rule that covers a later one: the later rule has each of its keys, with the same or fewer values.
 * `not` and keys without lists count as one value. Sets of earlier rules are bit masks, one per key and value: each
 * value costs one look-up, where a comparison of each pair of rules would cost up to a hundred.
 */
class EarlierRules {
  readonly #rules: IndexedRule[] = [];
  readonly #withKey = new Map<string, bigint>();
  readonly #withValue = new Map<string, bigint>();

  add(rule: IndexedRule): void {
    const bit = 1n << BigInt(this.#rules.push(rule) - 1);
    for (const [key, values] of keysAndValues(rule.if)) {
      addBit(this.#withKey, key, bit);
      for (const value of values) addBit(this.#withValue, value, bit);
    }
  }

  /** The first rule that covers this one. */
  covering({ if: condition }: IndexedRule): IndexedRule | undefined {
    const later = new Map(keysAndValues(condition));
    let covering = (1n << BigInt(this.#rules.length)) - 1n;
    for (const [key, withKey] of this.#withKey) {
      let withValues = later.has(key) ? withKey : 0n;
      for (const value of later.get(key) ?? []) withValues &= this.#withValue.get(value) ?? 0n;
      covering &= ~withKey | withValues;
    }
    return this.#rules.find((_, at) => (covering >> BigInt(at)) & 1n);
  }
}

function addBit(masks: Map<string, bigint>, name: string, bit: bigint): void {
  masks.set(name, (masks.get(name) ?? 0n) | bit);
}

/** The keys of a condition, each with the canonical texts of its values. */
function keysAndValues({ not, ...plain }: RuleCondition): [key: string, values: string[]][] {
  const keys = CONDITION_KEYS.filter((key) => plain[key] !== undefined);
  const named = keys.map((key): [string, string[]] => [key, valuesOf(key, plain)]);
  return not ? [...named, ["not", [`not(${canonicalText(not)})`]]] : named;
}

function valuesOf<K extends ConditionKey>(key: K, condition: PlainCondition): string[] {
  const wanted: PlainCondition[K] = condition[key];
  if (wanted === undefined) return [];
  const values: ConditionValues[K][] = Array.isArray(wanted) ? wanted : [wanted];
  return values.map((value) => CONDITIONS[key].canonicalText(value));
}
