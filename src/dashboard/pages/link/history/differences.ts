/**
 * What differs between two versions of a link, for people to read: for each member that differs the lines that are gone,
 * new or the same. Pure but for the browser's language and time zone.
 */
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { changedMembers, REVISION_MEMBERS, type RevisionMember } from "../../../../core/links/content-changes.ts";
import { canonicalText, type RoutingRule } from "../../../../core/links/routing.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { readableUrl } from "../../../formatting/hosts.ts";
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
    lines: member === "routing" ? ruleDifferences(from, to) : lineDifferences(LINES[member](from), LINES[member](to)),
  }));
}

/** A member as lines; those of a list are compared one by one. */
const LINES: Record<Exclude<RevisionMember, "routing">, (content: RevisionContent) => string[]> = {
  url: ({ url }) => [readableUrl(url)],
  expires_at: ({ expires_at }) => [expires_at === null ? texts.never : formatDateTime(expires_at)],
  title: ({ title }) => [title ?? texts.none],
  tags: ({ tags = [] }) => tags,
  starts_at: ({ starts_at }) => [starts_at === undefined ? texts.atOnce : formatDateTime(starts_at)],
  fallback_url: ({ fallback_url }) => [fallback_url === undefined ? texts.none : readableUrl(fallback_url)],
  forward_query: ({ forward_query }) => [forward_query ? texts.forwarded : texts.notForwarded],
  disabled: ({ disabled }) => [disabled ? texts.off : texts.on],
};

/** Sentences shorten long conditions: of rules that would look the same and are not, the whole condition is shown. */
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
 * The lines of both, in their order: the longest run that both have is the same. What is gone in one place and new in
 * another has moved.
 */
function lineDifferences(from: readonly string[], to: readonly string[]): DifferenceLine[] {
  const common = commonLengths(from, to);
  const lines: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const [old, now] = [from[i], to[j]];
    if (old !== undefined && old === now) {
      lines.push({ kind: "same", text: old });
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (now === undefined || lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))) {
      lines.push({ kind: "removed", text: old });
      i++;
    } else if (now !== undefined) {
      lines.push({ kind: "added", text: now });
      j++;
    }
  }
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

/** Length of the longest common run of lines from each pair of places on. A link has a hundred rules at most. */
function commonLengths(from: readonly string[], to: readonly string[]): number[][] {
  const lengths = Array.from({ length: from.length + 1 }, () => Array.from({ length: to.length + 1 }, () => 0));
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (!row) continue;
      row[j] =
        from[i] === to[j]
          ? lengthAt(lengths, i + 1, j + 1) + 1
          : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Members of a link in a sentence. */
export function memberNames(members: readonly RevisionMember[]): string {
  return LIST.format(members.map((member) => texts.members[member]));
}
