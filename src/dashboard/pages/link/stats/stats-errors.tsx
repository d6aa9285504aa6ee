/** Replaces statistics that the API refused, or that have no clicks. */

import { earliestStart } from "../../../../core/clicks/counting/stats.ts";
import { figure, SCAN_CLICKS_MAX } from "../../../../core/limits.ts";
import { type ApiError, hasCode } from "../../../api/api-error.ts";
import { EmptyState, ErrorState, Notice } from "../../../components/states.tsx";
import { SmallButton } from "../../../components/buttons.tsx";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { ChangeStatsParams } from "./stats-params.ts";
import { laterRanges, rangeName } from "./time-range.ts";
import type { StatsView } from "./use-stats.ts";

const OFFERED_MAX = 3;

/** Replaces the numbers if a range has more clicks than filters can count, and offers shorter ranges. */
export function FilterLimit({ view, error }: { view: StatsView; error: ApiError }) {
  return (
    <Notice
      color="yellow"
      title={texts.tooManyToFilter}
      actions={
        <>
          <LaterRanges view={view} error={error} max={OFFERED_MAX} />
          <SmallButton onClick={() => view.change({ filters: {} })}>{texts.clearFilters}</SmallButton>
        </>
      }
    >
      {texts.tooManyToFilterHint(figure(SCAN_CLICKS_MAX))}
    </Notice>
  );
}

interface LaterRangesProps {
  view: StatsView;
  error: ApiError;
  max: number;
}

/** Buttons that select a range that would work. */
export function LaterRanges({ view: { params, change }, error, max }: LaterRangesProps) {
  const start = earliestStart(error.problems);
  if (start === null) return null;
  return laterRanges(params.range, params.zone, start, Date.now())
    .slice(0, max)
    .map((range) => (
      <SmallButton key={rangeName(range)} onClick={() => change({ range, interval: null })}>
        {texts.showRange(range.kind === "days" ? rangeName(range) : rangeName(range).toLowerCase())}
      </SmallButton>
    ));
}

/** The error message. For too many concurrent requests, the server only says that it has no answer. */
export function StatsError({ error, retry }: { error: unknown; retry: () => void }) {
  const isBusy = hasCode(error, "unavailable", "too_many_reads");
  return <ErrorState error={isBusy ? new Error(texts.busy) : error} retry={retry} />;
}

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
