/**
 * Assigns the API's problems to the rules and fields of the editor, in the editor's words. Problems refer to rules by
 * their index in the request; the editor stores them by rule id, so that they stay correct when rules move. Pure.
 */
import type { Problem } from "../../../../core/errors.ts";
import { ruleMessageTexts as texts } from "../../../texts/rules.ts";

export interface RuleProblems {
  /** Problems of the rules as a whole. */
  general: string[];
  /** Keys are a rule id, then a field: `to`, `if`, `if.country`, `if.not`, `if.not.country`, or empty for the rule. */
  byRule: ReadonlyMap<string, ReadonlyMap<string, string[]>>;
}

export const NO_RULE_PROBLEMS: RuleProblems = { general: [], byRule: new Map() };

/** For a changed rule: its own problems may be solved. */
export function clearRuleProblems({ general, byRule }: RuleProblems, id: string): RuleProblems {
  return { general, byRule: new Map([...byRule].filter(([one]) => one !== id)) };
}

/** For moved or removed rules: problems of their order, such as an unreachable rule, may be solved. */
export function clearOrderProblems({ byRule }: RuleProblems): RuleProblems {
  const fields = [...byRule].map(([id, all]) => [id, new Map([...all].filter(([field]) => field !== ""))] as const);
  return { general: [], byRule: new Map(fields.filter(([, left]) => left.size > 0)) };
}

/** @param sent  ids of the rules in the order in which they were sent */
export function groupProblemsByRule(problems: readonly Problem[], sent: readonly string[]): RuleProblems {
  const general: string[] = [];
  const byRule = new Map<string, Map<string, string[]>>();
  for (const problem of problems) {
    const [, index, rest = ""] = /^routing\.(\d+)(?:\.(.+))?$/.exec(problem.path) ?? [];
    const id = index === undefined ? undefined : sent[Number(index)];
    if (id === undefined) general.push(displayMessage(problem));
    else {
      const fields = byRule.get(id) ?? new Map<string, string[]>();
      byRule.set(id, fields);
      // `if.country.3` belongs to the input for `country`.
      const field = /^if\.not\.[^.]+|^if\.[^.]+|^if$|^to/.exec(rest)?.[0] ?? "";
      fields.set(field, [...(fields.get(field) ?? []), displayMessage(problem)]);
    }
  }
  return { general, byRule };
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
