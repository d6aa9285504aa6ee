/** Replaces statistics without clicks: none matches the filters, or the range has none. */
import { EmptyState } from "../../../components/states.tsx";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { ChangeStatsParams } from "./stats-params.ts";

export function NoMatches({ change }: { change: ChangeStatsParams }) {
  return (
    <EmptyState
      icon={icon("filter-off")}
      title={texts.noMatches}
      action={texts.clearFilters}
      onAction={() => change({ filters: {} })}
    >
      {texts.noMatchesHint}
    </EmptyState>
  );
}

export function NoClicksInRange({ change }: { change: ChangeStatsParams }) {
  return (
    <EmptyState
      icon={icon("chart-bar")}
      title={texts.noClicksInRange}
      action={texts.showAllTime}
      onAction={() => change({ range: { kind: "preset", preset: "all" }, interval: null })}
    >
      {texts.longerRangeHint}
    </EmptyState>
  );
}
