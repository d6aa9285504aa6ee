/** The statistics tab of a link, with the live feed. */
import { Button, Code, Grid, Stack } from "@mantine/core";
import { IconChartBar, IconFilterOff } from "@tabler/icons-react";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import { useApi } from "../../../api/client.ts";
import { EmptyState } from "../../../components/states.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { announceArrival } from "../click-arrivals.ts";
import { LiveFeed } from "../live/live-feed.tsx";
import { useClickFeed } from "../live/use-click-feed.ts";
import { FilterChips } from "./filter-chips.tsx";
import { FilterLimit } from "./filter-limit.tsx";
import { GroupingCard } from "./grouping-card.tsx";
import { HeatMapCard } from "./heat-map-card.tsx";
import { LocationStats } from "./location-stats.tsx";
import { SeriesCard } from "./series-card.tsx";
import { isRangeTooLarge } from "./stats-errors.ts";
import { hasFilters } from "./stats-params.ts";
import { StatsToolbar } from "./stats-toolbar.tsx";
import { defaultInterval } from "./time-range.ts";
import { type StatsView, useRefetchOnClick, useStats } from "./use-stats.ts";
import { useStatsParams } from "./use-stats-params.ts";

const REFRESH_INTERVAL_MS = 30_000;

export default function StatsPanel({ link }: { link: Link }) {
  const { mode } = useApi();
  const queries = useQueryClient();
  const [params, change] = useStatsParams();
  const [autoRefresh, setAutoRefresh] = useState(false);
  const interval = params.interval ?? defaultInterval(params.range, Date.parse(link.created_at), Date.now());
  const view: StatsView = { link, params, change, interval, refreshIntervalMs: autoRefresh && REFRESH_INTERVAL_MS };
  const refetch = useRefetchOnClick(link.id);
  const feed = useClickFeed(link.id, params.includeBots, () => {
    refetch();
    announceArrival(link.id);
  });
  const statsKey = [mode, "stats", link.id];
  const isLoading = useIsFetching({ queryKey: statsKey }) > 0;
  const { error } = useStats(view, "country");

  return (
    <Stack gap="md">
      <StatsToolbar
        view={view}
        autoRefresh={autoRefresh}
        setAutoRefresh={setAutoRefresh}
        refresh={() => void queries.invalidateQueries({ queryKey: statsKey })}
        isLoading={isLoading}
      />
      <FilterChips view={view} />
      {isRangeTooLarge(error) ? (
        <FilterLimit view={view} error={error} />
      ) : (
        <>
          <Grid>
            <Grid.Col span={{ base: 12, md: 8 }}>
              <SeriesCard view={view} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <LiveFeed feed={feed} view={view} />
            </Grid.Col>
          </Grid>
          <Breakdown view={view} />
        </>
      )}
    </Stack>
  );
}

/** The cards of all groupings, or an empty state. */
function Breakdown({ view }: { view: StatsView }) {
  const { data } = useStats(view, "country");
  if (data?.total === 0) return <NoClicks view={view} />;
  return (
    <>
      <LocationStats view={view} />
      <Grid>
        {(["sources", "devices", "campaigns", "routing"] as const).map((card) => (
          <Grid.Col key={card} span={{ base: 12, md: 6 }}>
            <GroupingCard card={card} view={view} />
          </Grid.Col>
        ))}
      </Grid>
      <HeatMapCard view={view} />
    </>
  );
}

function NoClicks({ view: { link, params, change } }: { view: StatsView }) {
  if (hasFilters(params.filters)) {
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
  const isAllTime = params.range.kind === "preset" && params.range.preset === "all";
  const [beforeUrl, afterUrl] = texts.shareHint;
  return (
    <EmptyState
      icon={<IconChartBar aria-hidden />}
      title={isAllTime ? texts.noClicks : texts.noClicksInRange}
      action={
        !isAllTime && (
          <Button
            variant="default"
            onClick={() => change({ range: { kind: "preset", preset: "all" }, interval: null })}
          >
            {texts.showAllTime}
          </Button>
        )
      }
    >
      {isAllTime ? (
        <>
          {beforeUrl}
          <Code>{link.short_url}</Code>
          {afterUrl}
        </>
      ) : (
        texts.longerRangeHint
      )}
    </EmptyState>
  );
}
