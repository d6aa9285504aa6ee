/** A plan as a comment on a pull request. Its author may be a stranger: nothing of the file is read as Markdown. Pure. */
import { keptLinks, type PlanLine, planLines, planSummary } from "./plan-lines.ts";
import type { Plan } from "./plan.ts";

/** GitHub takes 65,536 characters. */
const MARKDOWN_MAX_CHARS = 60_000;

export function planMarkdown(plan: Plan, fileName: string): string {
  const lines = planLines(plan, fileName).map(diffLine);
  const kept = keptLinks(plan);
  const text = [`### Links: ${planSummary(plan)}`, fenced(cutTo(MARKDOWN_MAX_CHARS, lines)), kept && fenced([kept])];
  return `${text.filter(Boolean).join("\n\n")}\n`;
}

/**
 * In a block of code nobody is mentioned, no image is loaded and no link works. Three backticks are enough: a line with a
 * mark or a domain in front ends no block, whatever follows.
 */
function fenced(lines: readonly string[]): string {
  return lines.length === 0 ? "" : ["```diff", ...lines, "```"].join("\n");
}

/** GitHub colours `+`, `-` and `!`. */
function diffLine({ mark, text }: PlanLine): string {
  return `${mark === "~" ? "!" : mark} ${text}`;
}

function cutTo(maxChars: number, lines: readonly string[]): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const [i, text] of lines.entries()) {
    chars += text.length + 1;
    if (chars > maxChars) return [...shown, `  … and ${lines.length - i} more lines: hoplink plan shows all`];
    shown.push(text);
  }
  return shown;
}
