/** Shortens results to a length that an agent can read. Totals stay correct. Pure. */
import { OTHER_KEY } from "../../core/clicks/counting/groupings.ts";
import type { Backtest } from "../../core/contract/backtests.ts";
import type { Resolution } from "../../core/contract/resolutions.ts";
import type { Stats } from "../../core/contract/stats.ts";

export const TOOL_BUCKETS_MAX = 100;
/** Rules of a backtest in addition to those that were sent. */
const OTHER_RULES_MAX = 20;
const SAMPLES_MAX = 5;
/** A rule may have 64 KiB, and its text three times as much. Its first characters are enough to identify it. */
const RULE_MAX_CHARS = 200;
const SAMPLE_URL_MAX_CHARS = 1_000;

/** Omits `unique_visitors` of the rest: a visitor in two buckets counts once, so the buckets cannot be added up. */
export function shortStats<Answer extends Stats>(stats: Answer): Answer {
  if (stats.buckets.length <= TOOL_BUCKETS_MAX) return stats;
  const { kept, rest } = divided(stats.buckets, ({ key }) => key, TOOL_BUCKETS_MAX - 1);
  return { ...stats, buckets: [...kept, { key: OTHER_KEY, clicks: sum(rest.map(({ clicks }) => clicks)) }] };
}

/** @param sent  number of rules that were tried: they come first, and all are kept */
export function shortBacktest(backtest: Backtest, sent: number): Backtest {
  const samples = backtest.samples.slice(0, SAMPLES_MAX).map(({ seq, before, after }) => {
    return { seq, before: cut(before, SAMPLE_URL_MAX_CHARS), after: cut(after, SAMPLE_URL_MAX_CHARS) };
  });
  return { ...backtest, samples, rules: shortRules(backtest.rules, sent + OTHER_RULES_MAX) };
}

function shortRules(all: Backtest["rules"], most: number): Backtest["rules"] {
  const withShortText = (row: Backtest["rules"][number]) => ({ ...row, rule: cut(row.rule, RULE_MAX_CHARS) });
  if (all.length <= most) return all.map(withShortText);
  const { kept, rest } = divided(all, ({ rule }) => rule, most - 1);
  const other = {
    rule: OTHER_KEY,
    before: sum(rest.map(({ before }) => before)),
    after: sum(rest.map(({ after }) => after)),
  };
  return [...kept.map(withShortText), other];
}

export function shortResolution(resolution: Resolution): Resolution {
  const { rule } = resolution;
  const trace = resolution.trace.map((step) => ({ ...step, rule: cut(step.rule, RULE_MAX_CHARS) }));
  return { ...resolution, rule: rule === null ? null : cut(rule, RULE_MAX_CHARS), trace };
}

/** The backtest of a link that is not open: no rule decides, and all clicks go elsewhere. */
export function backtestOfClosed(backtest: Backtest): Backtest {
  const rules = backtest.rules.map((rule) => ({ ...rule, after: 0 }));
  return { ...backtest, moved: backtest.clicks, undecided: 0, rules, samples: [] };
}

/** A row `other` always belongs to the rest, wherever it is: there must not be two. */
function divided<Row>(rows: readonly Row[], nameOf: (row: Row) => string, most: number): { kept: Row[]; rest: Row[] } {
  const named = rows.filter((row) => nameOf(row) !== OTHER_KEY);
  const kept = named.slice(0, most);
  return { kept, rest: [...named.slice(most), ...rows.filter((row) => nameOf(row) === OTHER_KEY)] };
}

/** Shortens a text, never within a character. */
function cut(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars - 1).toWellFormed()}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
