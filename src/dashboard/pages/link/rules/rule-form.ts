/**
 * Converts routing rules to the editor's form and back. The form is a list of conditions, each with a value for its
 * input, which may be incomplete. An unedited rule converts back to itself. Pure: ids are arguments. Nothing is
 * validated here: the API validates the request.
 */
import type { Problem } from "../../../../core/errors.ts";
import type { ConditionKey, ConditionValues, PlainCondition } from "../../../../core/links/conditions.ts";
import type { RoutingRule, RuleCondition } from "../../../../core/links/routing.ts";
import { completeUrl } from "../../../../core/links/typed-url.ts";
import { ruleMessageTexts as texts } from "../../../texts/rules.ts";
import { CONDITION_KEYS, isListKey, type ListConditionKey } from "./condition-kinds.ts";

/** A query parameter: with any value, or with one of these. */
export interface QueryParameterForm {
  name: string;
  any: boolean;
  values: string[];
}

/** Empty texts, and no days, are undefined. */
export type TimeWindowForm = { tz: string } & {
  [K in "days" | "from" | "to"]?: ConditionValues["time"][K] | undefined;
};

export type ConditionForm =
  | { key: ListConditionKey; value: string[] }
  /** RFC 3339, or empty. */
  | { key: "after" | "before"; value: string }
  | { key: "percent"; value: number | null }
  | { key: "query"; value: QueryParameterForm[] }
  | { key: "time"; value: TimeWindowForm };

export interface RuleForm {
  /** Stays with the rule when it moves; never sent. */
  id: string;
  conditions: ConditionForm[];
  /** Conditions of `not`; empty for none. */
  not: ConditionForm[];
  to: string;
}

/** @param tz  initial zone of a new time window */
export function newCondition(key: ConditionKey, tz: string): ConditionForm {
  switch (key) {
    case "after":
    case "before":
      return { key, value: "" };
    case "percent":
      return { key, value: 50 };
    case "query":
      return { key, value: [{ name: "", any: true, values: [] }] };
    case "time":
      return { key, value: { tz, days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:00" } };
    default:
      return { key, value: [] };
  }
}

export function newRule(id: string): RuleForm {
  return { id, conditions: [{ key: "country", value: [] }], not: [], to: "" };
}

export function toRuleForm(id: string, rule: RoutingRule): RuleForm {
  return { id, conditions: toConditionForms(rule.if), not: toConditionForms(rule.if.not ?? {}), to: rule.to };
}

export function toRoutingRule({ conditions, not, to }: RuleForm): RoutingRule {
  return { if: toRuleCondition(conditions, not), to: completeUrl(to) };
}

/** The form's current condition, which may be incomplete. */
export function toRuleCondition(conditions: readonly ConditionForm[], not: readonly ConditionForm[]): RuleCondition {
  const plain = toPlainCondition(conditions);
  return not.length === 0 ? plain : { ...plain, not: toPlainCondition(not) };
}

/** Conditions that can be added: each key may be used once. */
export function unusedConditionKeys(conditions: readonly ConditionForm[]): ConditionKey[] {
  const used = new Set<ConditionKey>(conditions.map(({ key }) => key));
  return CONDITION_KEYS.filter((key) => !used.has(key));
}

function toConditionForms(condition: RuleCondition): ConditionForm[] {
  return CONDITION_KEYS.filter((key) => condition[key] !== undefined).map((key) => {
    if (key === "query") return { key, value: toQueryForms(condition.query ?? {}) };
    const value = isListKey(key) ? [condition[key] ?? []].flat() : condition[key];
    return { key, value } as ConditionForm;
  });
}

function toQueryForms(query: ConditionValues["query"]): QueryParameterForm[] {
  return Object.entries(query).map(([name, value]) => ({
    name,
    any: value === true,
    values: value === true ? [] : [value].flat(),
  }));
}

function toPlainCondition(conditions: readonly ConditionForm[]): PlainCondition {
  return Object.fromEntries(conditions.map((condition) => [condition.key, toConditionValue(condition)]));
}

function toConditionValue({ key, value }: ConditionForm): unknown {
  if (key !== "query") return Array.isArray(value) ? oneOrMany(value) : value;
  return Object.fromEntries(value.map(({ name, any, values }) => [name.trim(), any || oneOrMany(values)]));
}

function oneOrMany(values: string[]): string | string[] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

/** A copy of the list with one item moved; unchanged if an index is out of range. Pure. */
export function moveItem<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from];
  return item === undefined || to < 0 || to >= list.length ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}

/**
 * A problem that the API reports, in the editor's words, at the rule and field that it concerns. A request refers to rules
 * by their index; this refers to their ids, so that it stays correct when rules move.
 */
export interface RuleProblem {
  /** Null for the rules as a whole. */
  rule: string | null;
  /** `to`, `if`, `if.country`, `if.not`, `if.not.country`, or empty for the rule. */
  field: string;
  text: string;
}

/** For a changed rule: its own problems may be solved. */
export function clearRuleProblems(problems: readonly RuleProblem[], id: string): RuleProblem[] {
  return problems.filter(({ rule }) => rule !== id);
}

/** For moved or removed rules: problems of their order, such as an unreachable rule, may be solved. */
export function clearOrderProblems(problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.filter(({ rule, field }) => rule !== null && field !== "");
}

/** @param sent  ids of the rules in the order in which they were sent */
export function ruleProblemsOf(problems: readonly Problem[], sent: readonly string[]): RuleProblem[] {
  return problems.map((problem) => {
    const [, index = "", rest = ""] = /^routing\.(\d+)(?:\.(.+))?$/.exec(problem.path) ?? [];
    // `if.country.3` belongs to the input for `country`.
    const field = /^if\.not\.[^.]+|^if\.[^.]+|^if$|^to/.exec(rest)?.[0] ?? "";
    return { rule: (index !== "" && sent[Number(index)]) || null, field, text: displayMessage(problem) };
  });
}

/** The message without its path, because the field shows it; other rules are numbered from 1, as in the editor. */
function displayMessage({ path, code, message }: Problem): string {
  const withoutPath = path !== "" && message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  const earlier = /\brouting\.(\d+)\b/.exec(withoutPath)?.[1];
  return code === "unreachable_rule" && earlier !== undefined
    ? texts.unreachable(Number(earlier) + 1)
    : ruleMessage(withoutPath);
}

/** @param message  without the path at its beginning */
export function ruleMessage(message: string): string {
  const known = texts.known.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  return message.charAt(0).toUpperCase() + message.slice(1);
}
