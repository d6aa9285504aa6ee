/** A plan as lines for people, in a terminal and in a comment on a pull request. Pure. */
import { BACKTEST_DAYS, figure } from "../../core/limits.ts";
import { canonicalText, type RoutingRule } from "../../core/links/routing.ts";
import { visibleText } from "../cli/terminal/visible-text.ts";
import { addressText } from "./addresses.ts";
import { type BacktestOutcome, type Change, type Creation, isEmpty, type MemberChange, type Plan } from "./plan.ts";

/** What a line is about: something new, changed, gone, a problem, or more about the line above. */
export type Mark = "+" | "~" | "-" | "!" | " ";

export interface PlanLine {
  mark: Mark;
  /** Harmless for a terminal: titles and addresses may come from anybody who can change the file. */
  text: string;
}

export function planLines(plan: Plan, fileName: string): PlanLine[] {
  const gone = plan.prunes ? plan.missing : [];
  return [
    ...plan.create.flatMap(creationLines),
    ...plan.change.flatMap(changeLines),
    ...gone.map((link) => line("-", addressText(link))),
    ...plan.problems.map(({ line: at, address, message }) => {
      const where = at === null ? fileName : `${fileName}:${at}`;
      return line("!", [where, address && addressText(address), message].filter(Boolean).join(" "));
    }),
  ];
}

/** One sentence. */
export function planSummary(plan: Plan): string {
  const { create, change, missing, prunes, unchanged, problems } = plan;
  const parts = [
    create.length > 0 && `${figure(create.length)} to create`,
    change.length > 0 && `${figure(change.length)} to change`,
    prunes && missing.length > 0 && `${figure(missing.length)} to delete`,
    problems.length > 0 && `${figure(problems.length)} that cannot be done`,
  ].filter(Boolean);
  const rest = `${figure(unchanged)} unchanged`;
  if (isEmpty(plan) && problems.length === 0) return `No changes to ${linksText(unchanged)}.`;
  return `${[...parts, rest].join(", ")}.`;
}

/** Links that stay although the file does not have them; null when there are none. */
export function keptLinks({ missing, prunes }: Plan): string | null {
  if (prunes || missing.length === 0) return null;
  const [one] = missing;
  return missing.length === 1 && one
    ? `${visibleText(addressText(one))} is not in the file any more: --prune deletes it.`
    : `${figure(missing.length)} links are not in the file any more: --prune deletes them.`;
}

export function linksText(count: number): string {
  return `${figure(count)} ${count === 1 ? "link" : "links"}`;
}

function creationLines({ address, link }: Creation): PlanLine[] {
  const { domain: _, slug: __, ...members } = link;
  return [
    line("+", addressText(address)),
    ...Object.entries(members).flatMap(([name, value]) => valueLines("+", name, value)),
  ];
}

function changeLines({ address, members, backtest }: Change): PlanLine[] {
  const told = backtest ? [line(" ", `    ${backtestText(backtest)}`)] : [];
  return [line("~", addressText(address)), ...members.flatMap(memberLines), ...told];
}

function memberLines({ member, before, after }: MemberChange): PlanLine[] {
  if (member !== "routing") return [...valueLines("-", member, before), ...valueLines("+", member, after)];
  const [old, wanted] = [ruleTexts(before), ruleTexts(after)];
  const [gone, added] = [old.filter((rule) => !wanted.includes(rule)), wanted.filter((rule) => !old.includes(rule))];
  // The same rules in another order.
  if (gone.length === 0 && added.length === 0) return [...ruleLines("-", old), ...ruleLines("+", wanted)];
  return [...ruleLines("-", gone), ...ruleLines("+", added)];
}

function valueLines(mark: Mark, name: string, value: unknown): PlanLine[] {
  if (value === null) return [];
  if (name === "routing") return ruleLines(mark, ruleTexts(value));
  return [line(mark, `    ${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)];
}

function ruleLines(mark: Mark, rules: readonly string[]): PlanLine[] {
  return rules.map((rule) => line(mark, `    rule: ${rule}`));
}

function ruleTexts(routing: unknown): string[] {
  return ((routing ?? []) as RoutingRule[]).map((rule) => `${canonicalText(rule.if)} → ${rule.to}`);
}

function backtestText(backtest: BacktestOutcome): string {
  if ("notTried" in backtest) return `not tried on past clicks: ${backtest.notTried}`;
  const { clicks, moved, undecided } = backtest;
  if (clicks === 0) return `no clicks in the last ${BACKTEST_DAYS} days`;
  const unknown = undecided === 0 ? "" : `; of ${figure(undecided)} nobody can tell`;
  return `${figure(moved)} of ${figure(clicks)} clicks of the last ${BACKTEST_DAYS} days would have gone elsewhere${unknown}`;
}

function line(mark: Mark, text: string): PlanLine {
  return { mark, text: visibleText(text) };
}
