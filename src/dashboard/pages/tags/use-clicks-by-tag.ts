/** Clicks of each tag in a range, from the account's statistics. The list of tags is complete without them. */
import { OTHER_KEY } from "../../../core/clicks/groupings.ts";
import { tagKey } from "../../../core/links/tags.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { tagsTexts as texts } from "../../texts/tags.ts";
import type { StatsParams } from "../link/stats/stats-params.ts";
import { useStats } from "../link/stats/use-stats.ts";
import { useAccountSubject } from "../overview/use-account-subject.ts";

/** As text: a dash where it is not known. */
export type ClicksOfTag = (tag: string) => string;

export function useClicksByTag(params: StatsParams): ClicksOfTag {
  const subject = useAccountSubject();
  const shown = { ...params, filters: {}, includeBots: false };
  const { data } = useStats(
    { subject, params: shown, change: () => {}, interval: "day", refreshIntervalMs: false },
    "tag",
  );
  if (!data) return () => texts.unknown;
  const clicks = new Map(data.buckets.map((bucket) => [tagKey(bucket.key), bucket.clicks]));
  // Tags of few clicks are in one bucket where there are very many.
  const rest = clicks.has(OTHER_KEY) ? texts.unknown : formatCount(0);
  return (tag) => {
    const count = clicks.get(tagKey(tag));
    return count === undefined ? rest : formatCount(count);
  };
}
