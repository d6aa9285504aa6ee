/** Formats a plan for people, as lines and as a comment on a pull request, and for programs, as JSON. Pure. */
import { BACKTEST_DAYS, figure } from "../../core/limits.ts";
import { type TypedAlias, aliasText } from "../../core/links/link-search.ts";
import type { CreateLink } from "../api-types.ts";
import { canonicalText, type RoutingRule } from "../../core/links/routing.ts";
import { visibleText } from "../cli/terminal-text.ts";
import { addressText, shownName } from "./links-file.ts";
import { type BacktestOutcome, type Change, type Creation, isEmpty, type MemberChange, type Plan } from "./plan.ts";

/** The kind of a line: something new, changed, deleted, a problem, or a continuation of the line above. */
export type Mark = "+" | "~" | "-" | "!" | " ";

export interface PlanLine {
  mark: Mark;
  /** Safe for a terminal: anyone who can change the file chooses its titles and addresses. */
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
  const adopted = change.filter(({ adoptedBy }) => adoptedBy !== undefined).length;
  const parts = [
    create.length > 0 && `${figure(create.length)} to create`,
    change.length > 0 && `${figure(change.length)} to change${adopted > 0 ? ` (${figure(adopted)} adopted)` : ""}`,
    prunes && missing.length > 0 && `${figure(missing.length)} to delete`,
    problems.length > 0 && `${figure(problems.length)} that cannot be applied`,
  ].filter(Boolean);
  const rest = `${figure(unchanged)} unchanged`;
  if (isEmpty(plan) && problems.length === 0) return `No changes to ${linksText(unchanged)}.`;
  return `${[...parts, rest].join(", ")}.`;
}

/** Links that are kept although they are not in the file; null if there are none. */
export function keptLinks({ missing, prunes }: Plan): string | null {
  if (prunes || missing.length === 0) return null;
  const [one] = missing;
  return missing.length === 1 && one
    ? `${visibleText(addressText(one))} is no longer in the file. Add --prune to delete it.`
    : `${figure(missing.length)} links are no longer in the file. Add --prune to delete them.`;
}

export function linksText(count: number): string {
  return `${figure(count)} ${count === 1 ? "link" : "links"}`;
}

function creationLines({ address, link }: Creation): PlanLine[] {
  const { domain: _, slug: __, ...members } = shownLink(link);
  return [
    line("+", addressText(address)),
    ...Object.entries(members).flatMap(([name, value]) => valueLines("+", name, value)),
  ];
}

/** Without the password: the plan may be a public comment. */
function shownLink({ password, ...link }: CreateLink) {
  return password ? { ...link, password_protected: true } : link;
}

function changeLines({ address, members, adoptedBy, backtest }: Change): PlanLine[] {
  const warning = `    adopted: this link already exists without the tag ${adoptedBy}`;
  const tested = backtest ? [line(" ", `    ${backtestText(backtest)}`)] : [];
  return [
    line("~", addressText(address)),
    ...(adoptedBy === undefined ? [] : [line("!", warning)]),
    ...members.flatMap(memberLines),
    ...tested,
  ];
}

function memberLines({ member, before, after }: MemberChange): PlanLine[] {
  const name = shownName(member);
  if (member !== "routing") return [...valueLines("-", name, before), ...valueLines("+", name, after)];
  const [old, wanted] = [ruleTexts(before), ruleTexts(after)];
  const [gone, added] = [old.filter((rule) => !wanted.includes(rule)), wanted.filter((rule) => !old.includes(rule))];
  // The same rules in another order.
  if (gone.length === 0 && added.length === 0) return [...ruleLines("-", old), ...ruleLines("+", wanted)];
  return [...ruleLines("-", gone), ...ruleLines("+", added)];
}

function valueLines(mark: Mark, name: string, value: unknown): PlanLine[] {
  if (value === null) return [];
  if (name === "routing") return ruleLines(mark, ruleTexts(value));
  if (typeof value === "object" && !Array.isArray(value))
    return Object.entries(Object(value)).flatMap(([part, text]) => valueLines(mark, `${name}.${part}`, text));
  return [line(mark, `    ${name}: ${Array.isArray(value) ? value.map(itemText).join(", ") : String(value)}`)];
}

/** A tag or an alias. */
function itemText(item: string | TypedAlias): string {
  return typeof item === "string" ? item : aliasText(item);
}

function ruleLines(mark: Mark, rules: readonly string[]): PlanLine[] {
  return rules.map((rule) => line(mark, `    rule: ${rule}`));
}

function ruleTexts(routing: unknown): string[] {
  return ((routing ?? []) as RoutingRule[]).map((rule) => `${canonicalText(rule.if)} → ${rule.to}`);
}

function backtestText(backtest: BacktestOutcome): string {
  if ("notTried" in backtest) return `not tested on past clicks: ${backtest.notTried}`;
  const { clicks, moved, undecided } = backtest;
  if (clicks === 0) return `no clicks in the last ${BACKTEST_DAYS} days`;
  const unknown = undecided === 0 ? "" : `; ${figure(undecided)} could not be evaluated`;
  return `${figure(moved)} of ${figure(clicks)} clicks of the last ${BACKTEST_DAYS} days would have gone elsewhere${unknown}`;
}

function line(mark: Mark, text: string): PlanLine {
  return { mark, text: visibleText(text) };
}

/** GitHub accepts 65,536 characters. */
const MARKDOWN_MAX_CHARS = 60_000;

/** A comment on a pull request, whose author may be a stranger: nothing from the file is rendered as Markdown. */
export function planMarkdown(plan: Plan, fileName: string): string {
  // GitHub colors `+`, `-` and `!`.
  const lines = planLines(plan, fileName).map(({ mark, text }) => `${mark === "~" ? "!" : mark} ${text}`);
  const kept = keptLinks(plan);
  const text = [`### Links: ${planSummary(plan)}`, fenced(cutTo(MARKDOWN_MAX_CHARS, lines)), kept && fenced([kept])];
  return `${text.filter(Boolean).join("\n\n")}\n`;
}

/**
 * In a code block, no user is mentioned, no image is loaded and no link works. Three backticks are enough: a line that
 * begins with a mark or a domain cannot close the block.
 */
function fenced(lines: readonly string[]): string {
  return lines.length === 0 ? "" : ["```diff", ...lines, "```"].join("\n");
}

function cutTo(maxChars: number, lines: readonly string[]): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const [i, text] of lines.entries()) {
    chars += text.length + 1;
    if (chars > maxChars) return [...shown, `  … and ${lines.length - i} more lines: to see all, run hoplink plan`];
    shown.push(text);
  }
  return shown;
}

/** The output of `hoplink plan --json`. */
export function planJson({ create, change, missing, prunes, unchanged, problems }: Plan) {
  const absent = missing.map(({ id, revision, ...link }) => ({ address: addressText(link), id, revision }));
  return {
    create: create.map(({ address, link }) => ({ address: addressText(address), link: shownLink(link) })),
    change: change.map(({ address, current: { id, revision }, members, adoptedBy, backtest }) => ({
      address: addressText(address),
      id,
      revision,
      members: Object.fromEntries(members.map(({ member, before, after }) => [shownName(member), { before, after }])),
      ...(adoptedBy !== undefined && { adopted: true }),
      ...(backtest && { backtest: "notTried" in backtest ? { not_tried: backtest.notTried } : backtest }),
    })),
    delete: prunes ? absent : [],
    not_in_file: prunes ? [] : absent,
    unchanged,
    problems: problems.map(({ line, address, message }) => ({
      line,
      address: address && addressText(address),
      message,
    })),
  };
}
