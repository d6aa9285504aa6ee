/**
 * Reads the canonical text under which a rule's clicks are counted (core/links/routing.ts) back into its condition, so
 * that statistics show rules as sentences, also rules that the link no longer has. Pure.
 */
import { CONDITIONS, type ConditionKey } from "../../../../core/links/conditions.ts";
import { DEFAULT_RULE_KEY, type RuleCondition } from "../../../../core/links/routing.ts";
import { ruleSentenceTexts } from "../../../texts/rule-sentences.ts";
import { ruleSentence } from "./rule-sentence.ts";

/** A statistics key as a sentence; the key itself where a later release wrote it. */
export function ruleKeyName(key: string): string {
  if (key === DEFAULT_RULE_KEY) return ruleSentenceTexts.everyoneElse;
  const condition = parseRuleKey(key);
  return condition ? ruleSentence(condition) : key;
}

/** @returns null for a text that is not canonical, or has a condition that this release does not know. @internal */
export function parseRuleKey(text: string): RuleCondition | null {
  const parts = splitOutsideParentheses(text).map(parsePart);
  if (parts.some((part) => part === null)) return null;
  return Object.fromEntries(parts.filter((part) => part !== null)) as RuleCondition;
}

function splitOutsideParentheses(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "&" && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function parsePart(part: string): [string, unknown] | null {
  const [, key = "", inner] = /^(\w+)\((.*)\)$/s.exec(part) ?? [];
  if (inner !== undefined) return parseGroup(key, inner);
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(part) ?? [];
  if (!isConditionKey(name)) return null;
  if (name === "percent") return [name, Number(value)];
  return [name, name === "after" || name === "before" ? value : parseList(value)];
}

function parseGroup(key: string, inner: string): [string, unknown] | null {
  const members = () => inner.split("&").map((member) => member.split("="));
  switch (key) {
    case "not": {
      const condition = parseRuleKey(inner);
      return condition && [key, condition];
    }
    case "query":
      return [
        key,
        Object.fromEntries(
          members().map(([name = "", values]) => [unescaped(name), values === undefined ? true : parseList(values)]),
        ),
      ];
    case "time":
      return [
        key,
        Object.fromEntries(
          members().map(([name = "", value = ""]) => [name, name === "days" ? value.split(",") : value]),
        ),
      ];
    default:
      return null;
  }
}

function parseList(text: string): string[] {
  return text.split(",").map(unescaped);
}

function unescaped(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function isConditionKey(key: string): key is ConditionKey {
  return Object.hasOwn(CONDITIONS, key);
}
