/**
 * Readable differences between two versions of a link: for each changed member, the removed, added and unchanged lines.
 * Pure except for the browser's language and time zone.
 */
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import {
  changedMembers,
  type FlagMember,
  isFlag,
  REDIRECT_STATUSES,
  REVISION_MEMBERS,
  type RevisionMember,
} from "../../../../core/links/link-members.ts";
import { canonicalText, type RoutingRule } from "../../../../core/links/routing.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { linkName, readableUrl } from "../../../formatting/hosts.ts";
import { historyTexts as texts } from "../../../texts/history.ts";
import { ruleSentence } from "../rules/rule-sentence.ts";

export type RevisionContent = Pick<LinkRevision, RevisionMember>;

export interface DifferenceLine {
  kind: "same" | "removed" | "added" | "moved";
  text: string;
}

export interface MemberDifference {
  member: RevisionMember;
  lines: DifferenceLine[];
}

export function differencesOf(from: RevisionContent, to: RevisionContent): MemberDifference[] {
  return changedMembers(REVISION_MEMBERS, to, from).map((member) => ({
    member,
    lines:
      member === "routing" ? ruleDifferences(from, to) : lineDifferences(linesOf(member, from), linesOf(member, to)),
  }));
}

/** The lines of a member; those of a list are compared one by one. */
function linesOf(member: Exclude<RevisionMember, "routing">, content: RevisionContent): string[] {
  if (member !== "disabled" && !isFlag(member)) return LINES[member](content);
  const { on, off } = texts.flags[member];
  return [content[member] ? on : off];
}

const LINES: Record<
  Exclude<RevisionMember, "routing" | "disabled" | FlagMember>,
  (content: RevisionContent) => string[]
> = {
  url: ({ url }) => [readableUrl(url)],
  expires_at: ({ expires_at }) => [expires_at === null ? texts.never : formatDateTime(expires_at)],
  title: ({ title }) => [title ?? texts.none],
  tags: ({ tags = [] }) => tags,
  starts_at: ({ starts_at }) => [starts_at === undefined ? texts.immediately : formatDateTime(starts_at)],
  fallback_url: ({ fallback_url }) => [fallback_url === undefined ? texts.none : readableUrl(fallback_url)],
  redirect_status: ({ redirect_status = REDIRECT_STATUSES[0] }) => [String(redirect_status)],
  social: ({ social }) =>
    social === undefined ? [texts.none] : Object.entries(social).map(([name, text]) => texts.social(name, text ?? "")),
  aliases: ({ aliases = [] }) => aliases.map(linkName),
};

/** Sentences shorten long conditions: if different rules would look the same, the whole condition is shown. */
function ruleDifferences(from: RevisionContent, to: RevisionContent): DifferenceLine[] {
  const conditions = new Map<string, Set<string>>();
  for (const rule of [...from.routing, ...to.routing]) {
    const line = ruleLine(rule);
    conditions.set(line, (conditions.get(line) ?? new Set()).add(canonicalText(rule.if)));
  }
  const lineOf = (rule: RoutingRule) => {
    const line = ruleLine(rule);
    return (conditions.get(line)?.size ?? 0) > 1 ? `${line} (${canonicalText(rule.if)})` : line;
  };
  return lineDifferences(from.routing.map(lineOf), to.routing.map(lineOf));
}

function ruleLine(rule: RoutingRule): string {
  return texts.rule(ruleSentence(rule.if), readableUrl(rule.to));
}

/**
 * The lines of both, in order: the longest common subsequence is unchanged. A line that is removed in one place and
 * added in another has moved.
 */
function lineDifferences(from: readonly string[], to: readonly string[]): DifferenceLine[] {
  const lines: DifferenceLine[] = [];
  const push = (kind: DifferenceLine["kind"], added: readonly string[]) =>
    lines.push(...added.map((text) => ({ kind, text })));
  let [i, j] = [0, 0];
  for (const same of commonLines(from, to)) {
    const [k, l] = [from.indexOf(same, i), to.indexOf(same, j)];
    push("removed", from.slice(i, k));
    push("added", to.slice(j, l));
    push("same", [same]);
    [i, j] = [k + 1, l + 1];
  }
  push("removed", from.slice(i));
  push("added", to.slice(j));
  return withMoves(lines);
}

function withMoves(lines: readonly DifferenceLine[]): DifferenceLine[] {
  const textsOf = (kind: DifferenceLine["kind"]) => lines.filter((line) => line.kind === kind).map(({ text }) => text);
  const added = new Set(textsOf("added"));
  const moved = new Set(textsOf("removed").filter((text) => added.has(text)));
  return lines
    .filter(({ kind, text }) => kind !== "removed" || !moved.has(text))
    .map((line) => (line.kind === "added" && moved.has(line.text) ? { ...line, kind: "moved" } : line));
}

/** The longest common subsequence of lines. A link has at most a hundred rules. */
function commonLines(from: readonly string[], to: readonly string[]): string[] {
  // For the lines of `from` so far, and the first lines of `to` up to each index.
  let longest: string[][] = Array.from({ length: to.length + 1 }, () => []);
  for (const line of from) {
    const next: string[][] = [[]];
    for (const [j, other] of to.entries()) {
      const [before = [], without = [], shorter = []] = [longest[j], longest[j + 1], next[j]];
      const withLine = line === other ? [...before, line] : [];
      next.push([withLine, shorter, without].reduce((most, list) => (list.length > most.length ? list : most)));
    }
    longest = next;
  }
  return longest.at(-1) ?? [];
}

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** The names of members, for use in a sentence. */
export function memberNames(members: readonly RevisionMember[]): string {
  return LIST.format(members.map((member) => texts.members[member]));
}
