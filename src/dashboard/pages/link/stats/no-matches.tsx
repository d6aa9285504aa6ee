/** In place of statistics without a click: none matches the filters, or none is in the range. */
import { Button } from "@mantine/core";

import { EmptyState } from "../../../components/states.tsx";
import { IconChartBar, IconFilterOff } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { ChangeStatsParams } from "./stats-params.ts";

export function NoMatches({ change }: { change: ChangeStatsParams }) {
  return (
    <EmptyState
      icon={<IconFilterOff aria-hidden />}
      title={texts.noMatches}
      action={
        <Button variant="default" onClick={() => change({ filters: {} })}>
          {texts.clearFilters}
        </Button>
      }
    >
      {texts.noMatchesHint}
    </EmptyState>
  );
}

export function NoClicksInRange({ change }: { change: ChangeStatsParams }) {
  return (
    <EmptyState
      icon={<IconChartBar aria-hidden />}
      title={texts.noClicksInRange}
      action={
        <Button variant="default" onClick={() => change({ range: { kind: "preset", preset: "all" }, interval: null })}>
          {texts.showAllTime}
        </Button>
      }
    >
      {texts.longerRangeHint}
    </EmptyState>
  );
}
