/**
 * A routing rule as the editor holds it, and back. A rule is a list of conditions that a person adds and removes one by
 * one, each with a value that its input can show at every moment, also half typed. What is not touched comes back as it
 * was. Pure: no browser, no clock, ids come in as arguments. Nothing is judged here: the API judges what is sent.
 */
import type { ConditionKey, PlainCondition } from "../../../../core/links/conditions.ts";
import type { RuleCondition, RoutingRule } from "../../../../core/links/routing.ts";

const LIST_KEYS = [
  "country",
  "continent",
  "region",
  "city",
  "device",
  "os",
  "browser",
  "language",
  "referrer",
  "source",
] as const satisfies ConditionKey[];
export type ListKey = (typeof LIST_KEYS)[number];

/** The order in which conditions are offered. */
const CONDITION_KEYS: readonly ConditionKey[] = [...LIST_KEYS, "query", "time", "after", "before", "percent"];

/** A query parameter: with any value, or with one of these. */
export interface QueryForm {
  name: string;
  any: boolean;
  values: string[];
}

export interface TimeForm {
  tz: string;
  days: string[];
  /** HH:MM, or empty for the whole day. */
  from: string;
  to: string;
}

export type ConditionForm =
  | { key: ListKey; value: string[] }
  /** An instant as it is sent, or empty. */
  | { key: "after" | "before"; value: string }
  | { key: "percent"; value: number | "" }
  | { key: "query"; value: QueryForm[] }
  | { key: "time"; value: TimeForm };

export interface RuleForm {
  /** Stays with the rule while it moves; never sent. */
  id: string;
  conditions: ConditionForm[];
  /** Conditions of `not`; empty for none. */
  not: ConditionForm[];
  to: string;
}

/** @param tz  zone that a new time window begins with */
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

export function ruleForm(id: string, rule: RoutingRule): RuleForm {
  return { id, conditions: conditionForms(rule.if), not: conditionForms(rule.if.not ?? {}), to: rule.to };
}

export function routingRule({ conditions, not, to }: RuleForm): RoutingRule {
  return { if: conditionOf(conditions, not), to: to.trim() };
}

/** The condition that a rule's inputs say at this moment. */
export function conditionOf(conditions: readonly ConditionForm[], not: readonly ConditionForm[]): RuleCondition {
  const plain = plainCondition(conditions);
  return not.length === 0 ? plain : { ...plain, not: plainCondition(not) };
}

/** Conditions that may still be added: each key once. */
export function unusedKeys(conditions: readonly ConditionForm[]): ConditionKey[] {
  const used = new Set<ConditionKey>(conditions.map(({ key }) => key));
  return CONDITION_KEYS.filter((key) => !used.has(key));
}

function conditionForms(condition: RuleCondition): ConditionForm[] {
  return CONDITION_KEYS.flatMap((key) => conditionForm(key, condition));
}

function conditionForm(key: ConditionKey, condition: PlainCondition): ConditionForm[] {
  if (condition[key] === undefined) return [];
  switch (key) {
    case "after":
    case "before":
      return [{ key, value: condition[key] ?? "" }];
    case "percent":
      return [{ key, value: condition.percent ?? "" }];
    case "query":
      return [{ key, value: queryForms(condition.query ?? {}) }];
    case "time":
      return [{ key, value: timeForm(condition.time) }];
    default:
      return [{ key, value: [condition[key] ?? []].flat() }];
  }
}

function queryForms(query: NonNullable<PlainCondition["query"]>): QueryForm[] {
  return Object.entries(query).map(([name, value]) =>
    value === true ? { name, any: true, values: [] } : { name, any: false, values: [value].flat() },
  );
}

function timeForm(time: PlainCondition["time"]): TimeForm {
  return { tz: time?.tz ?? "UTC", days: time?.days ?? [], from: time?.from ?? "", to: time?.to ?? "" };
}

function plainCondition(conditions: readonly ConditionForm[]): PlainCondition {
  return Object.fromEntries(conditions.map((condition) => [condition.key, valueOf(condition)]));
}

function valueOf(condition: ConditionForm): unknown {
  switch (condition.key) {
    case "after":
    case "before":
      return condition.value;
    case "percent":
      return condition.value === "" ? null : condition.value;
    case "query":
      return Object.fromEntries(
        condition.value.map(({ name, any, values }) => [name.trim(), any ? true : oneOrMany(values)]),
      );
    case "time":
      return timeWindow(condition.value);
    default:
      return oneOrMany(condition.value);
  }
}

function timeWindow({ tz, days, from, to }: TimeForm) {
  return { tz, ...(days.length > 0 ? { days } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

function oneOrMany(values: string[]): string | string[] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}
