/** Everything that statistics show, of a link or of the whole account: controls, filters, chart, live feed, map, cards. */
import { Grid, Stack } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { useApi } from "../../../api/client.ts";
import { type FeedClick, feedFilter } from "../live/feed-clicks.ts";
import { LiveFeed } from "../live/live-feed.tsx";
import { useClickFeed } from "../live/use-click-feed.ts";
import { ClickLights } from "./click-lights.ts";
import { Coverage } from "./coverage.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { FilterLimit } from "./filter-limit.tsx";
import { GroupingCard } from "./grouping-card.tsx";
import { HeatMapCard } from "./heat-map-card.tsx";
import { LocationStats } from "./location-stats.tsx";
import { NoMatches } from "./no-matches.tsx";
import { SeriesCard } from "./series-card.tsx";
import { isRangeTooLarge } from "./stats-errors.ts";
import { type Card, hasFilters, type StatsParams } from "./stats-params.ts";
import { beginningOf, type StatsSubject, subjectKey } from "./stats-subject.ts";
import { StatsToolbar } from "./stats-toolbar.tsx";
import { defaultInterval } from "./time-range.ts";
import { type StatsView, useRefetchOnClick, useStats } from "./use-stats.ts";
import type { ChangeStatsParams } from "./use-stats-params.ts";

const REFRESH_INTERVAL_MS = 30_000;

interface StatsSectionsProps {
  subject: StatsSubject;
  params: StatsParams;
  change: ChangeStatsParams;
  /** Below the map, in this order. */
  cards: readonly Card[];
  /** In place of the cards where no click was counted. */
  empty: ReactNode;
  onNewClicks?: () => void;
}

export function StatsSections({ subject, params, change, cards, empty, onNewClicks }: StatsSectionsProps) {
  const { mode } = useApi();
  const queries = useQueryClient();
  const [autoRefresh, setAutoRefresh] = useState(false);
  const [lights] = useState(() => new ClickLights());
  const interval = params.interval ?? defaultInterval(params.range, beginningOf(subject), Date.now());
  const view: StatsView = { subject, params, change, interval, refreshIntervalMs: autoRefresh && REFRESH_INTERVAL_MS };
  const refetch = useRefetchOnClick(subject);
  const feed = useClickFeed(subject.kind === "link" ? subject.link.id : null, params.includeBots, (clicks) => {
    lights.show(lightedCountries(clicks, params));
    refetch();
    onNewClicks?.();
  });
  const statsKey = [mode, "stats", subjectKey(subject)];
  const isLoading = useIsFetching({ queryKey: statsKey }) > 0;
  const { data, error, dataUpdatedAt } = useStats(view, "country");

  return (
    <Stack gap="md">
      <StatsToolbar
        view={view}
        autoRefresh={autoRefresh}
        setAutoRefresh={setAutoRefresh}
        refresh={() => void queries.invalidateQueries({ queryKey: statsKey })}
        isLoading={isLoading}
      />
      <Coverage stats={data} answeredAt={dataUpdatedAt} zone={params.zone} />
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
          {data?.total === 0 && data.progress === undefined ? (
            hasFilters(params.filters) ? (
              <NoMatches change={change} />
            ) : (
              empty
            )
          ) : (
            <Breakdown view={view} cards={cards} lights={lights} />
          )}
        </>
      )}
    </Stack>
  );
}

interface BreakdownProps {
  view: StatsView;
  cards: readonly Card[];
  lights: ClickLights;
}

function Breakdown({ view, cards, lights }: BreakdownProps) {
  return (
    <>
      <LocationStats view={view} lights={lights} />
      <Grid>
        {cards.map((card) => (
          <Grid.Col key={card} span={{ base: 12, md: 6 }}>
            <GroupingCard card={card} view={view} />
          </Grid.Col>
        ))}
      </Grid>
      <HeatMapCard view={view} />
    </>
  );
}

/** Under filters only what the stream tells to match. */
function lightedCountries(clicks: readonly FeedClick[], { filters }: StatsParams): string[] {
  const isMatch = hasFilters(filters) ? feedFilter(filters) : () => true;
  return isMatch ? clicks.filter(isMatch).map(({ country }) => country) : [];
}
