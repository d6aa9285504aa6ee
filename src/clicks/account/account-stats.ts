/** Statistics of all links of an account: by summaries, or by a scan where filters or visitors are asked for. */
import type { AccountTally } from "../../core/clicks/account-counts.ts";
import { accountGroupingRule, type AccountLookup, type AccountStatsRequest } from "../../core/clicks/account-stats.ts";
import { binStarts } from "../../core/clicks/calendar.ts";
import { BUCKETS_MAX, OTHER_KEY } from "../../core/clicks/groupings.ts";
import { SCAN_CLICKS_MAX, SERIES_BINS_MAX } from "../../core/limits.ts";
import { KEYS_MAX_CHARS, type StatsData } from "../../core/clicks/stats.ts";
import { addClicks, bucketsOf, type Tally } from "../../core/clicks/tally.ts";
import { seriesOf, type StatsRange } from "../link-stats.ts";
import { AccountReader } from "./account-reader.ts";
import { scanAccount } from "./account-scan.ts";
import type { Generation } from "./generation.ts";

export type AccountStatsResult =
  | ({ kind: "stats"; asOf: number } & StatsData)
  | { kind: "too_many_bins" }
  /** Counting clicks one by one would do for a range that begins at `from` (epoch ms) or later. */
  | { kind: "too_many_clicks"; from: number };

interface AccountStatsQuestion {
  generation: Generation;
  /** Every click before this is in the log, epoch ms. */
  asOf: number;
  request: AccountStatsRequest;
  tagsOf: AccountLookup["tagsOf"];
  /** Whether the generation still answers. */
  isOpen: () => boolean;
}

/** @returns null when another generation began to answer meanwhile */
export async function accountStats(question: AccountStatsQuestion): Promise<AccountStatsResult | null> {
  const { generation, asOf, request, tagsOf, isOpen } = question;
  const reader = new AccountReader(generation);
  const range = rangeOf(reader, request, asOf);
  if (!range) return { kind: "too_many_bins" };
  const lookup: AccountLookup = { tagsOf, textOf: (field, number) => generation.texts[field].textOf(number) };
  const needsScan = (request.filters ?? []).length > 0 || request.uniques === true;
  if (!needsScan) return { kind: "stats", asOf, ...summed(reader, lookup, request, range) };
  if (range.end - range.first > SCAN_CLICKS_MAX) return { kind: "too_many_clicks", from: earliest(reader, range) };
  const scanned = await scanAccount({ reader, lookup, request, range, isOpen });
  return scanned && { kind: "stats", asOf, ...scanned };
}

function rangeOf(reader: AccountReader, request: AccountStatsRequest, asOf: number): StatsRange | null {
  const to = Math.min(request.to ?? asOf, asOf);
  const from = Math.min(request.from, to);
  const starts = request.interval ? binStarts(request.interval, request.timezone, from, to, SERIES_BINS_MAX) : [];
  return starts && { first: reader.positionAt(from), end: reader.positionAt(to), to, starts };
}

function earliest(reader: AccountReader, { end }: StatsRange): number {
  const position = end - SCAN_CLICKS_MAX;
  const at = reader.timeAt(position);
  return reader.positionAt(at) >= position ? at : at + 1;
}

function summed(
  reader: AccountReader,
  lookup: AccountLookup,
  request: AccountStatsRequest,
  range: StatsRange,
): StatsData {
  const { field } = accountGroupingRule(request.groupBy);
  const counts = countsOf(reader.tally(field, range.first, range.end));
  const buckets = bucketsOf(tallyByAccountKey(counts, request, lookup), request.includeBots);
  // Not of the buckets: a link may have several tags.
  const total = counts.reduce((sum, { human, nonHuman }) => sum + human + (request.includeBots ? nonHuman : 0), 0);
  return { total, buckets, series: seriesOf(reader, request, range), to: range.to };
}

interface ValueCount {
  value: string | number;
  human: number;
  nonHuman: number;
}

function countsOf(tally: AccountTally): ValueCount[] {
  if (tally instanceof Map) return [...tally].map(([value, count]) => ({ value, ...count }));
  const { numbers, human, nonHuman } = tally;
  return Array.from(numbers, (value, i) => ({ value, human: human[i] ?? 0, nonHuman: nonHuman[i] ?? 0 }));
}

/** Counts by the keys of a grouping. Keys that do not fit the response are counted as `other`. */
function tallyByAccountKey(
  counts: readonly ValueCount[],
  { groupBy, includeBots }: AccountStatsRequest,
  lookup: AccountLookup,
): Tally {
  const { keys, isOneToOne } = accountGroupingRule(groupBy);
  const least = isOneToOne ? leastListed(counts, includeBots) : 0;
  const tally: Tally = new Map();
  let chars = 0;
  for (const { value, human, nonHuman } of isOneToOne ? mostClickedFirst(counts) : counts) {
    if (human + (includeBots ? nonHuman : 0) < least) {
      // Of too few clicks to be listed: its text is not read.
      tally.set(`\0${value}`, { human, nonHuman });
      continue;
    }
    for (const key of chars < KEYS_MAX_CHARS ? keys(value, lookup) : [OTHER_KEY]) {
      if (!tally.has(key)) chars += key.length;
      addClicks(tally, key, human, nonHuman);
    }
  }
  return tally;
}

/** Clicks of the last value that is listed; those that share them may be, by their keys. */
function leastListed(counts: readonly ValueCount[], includeBots: boolean): number {
  const clicks = Float64Array.from(counts, ({ human, nonHuman }) => human + (includeBots ? nonHuman : 0)).sort();
  return clicks.at(-BUCKETS_MAX) ?? 0;
}

function mostClickedFirst(counts: readonly ValueCount[]): ValueCount[] {
  return [...counts].sort((a, b) => b.human + b.nonHuman - a.human - a.nonHuman);
}
