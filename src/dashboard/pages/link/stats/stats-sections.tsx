/** All parts of the statistics of a link or the whole account: controls, filters, chart, live feed, map, cards. */
import { Alert, Grid, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { type ComponentType, memo, useDeferredValue, useMemo, useState } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import { MINUTE_MS } from "../../../../core/time.ts";
import { hasCode } from "../../../api/api-error.ts";
import { lazyPart } from "../../../components/lazy-part.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { coverageTexts, statsTexts as texts } from "../../../texts/stats.ts";
import { type FeedClick, feedFilter } from "../live/feed-clicks.ts";
import { type ClickLights, useClickFeed } from "../live/follow-clicks.ts";
import { LiveFeed } from "../live/live-feed.tsx";
import { DownloadableCard, downloadBuckets } from "./card-downloads.tsx";
import { GroupingCard } from "./grouping-card.tsx";
import { HeatMapCard } from "./heat-map-card.tsx";
import { SeriesCard } from "./series-card.tsx";
import { FilterLimit, NoMatches } from "./stats-errors.tsx";
import {
  ACCOUNT_SCOPE,
  type Card,
  hasFilters,
  LINK_SCOPE,
  type StatsParams,
  toggleFilter,
  useStatsParams,
} from "./stats-params.ts";
import { StatsToolbar } from "./stats-toolbar.tsx";
import { defaultInterval } from "./time-range.ts";
import { type ShownStats, type StatsSubject, type StatsView, useRefetchOnClick, useStats } from "./use-stats.ts";

const REFRESH_INTERVAL_MS = 30_000;

interface StatsSectionsProps {
  subject: StatsSubject;
  /** Shown below the map, in this order. */
  cards: readonly Card[];
  /** Replaces the cards if no click was counted. */
  Empty: ComponentType<{ view: StatsView }>;
  onNewClicks?: () => void;
}

export function StatsSections({ subject, cards, Empty, onNewClicks }: StatsSectionsProps) {
  const [params, change] = useStatsParams(subject.link ? LINK_SCOPE : ACCOUNT_SCOPE);
  const [autoRefresh, setAutoRefresh] = useState(false);
  const [lights] = useState<ClickLights>(() => new Set());
  const interval = params.interval ?? defaultInterval(params.range, params.zone, subject.beginsAt, Date.now());
  const refreshIntervalMs = autoRefresh && REFRESH_INTERVAL_MS;
  const view: StatsView = useMemo(
    () => ({ subject, params, change, interval, refreshIntervalMs }),
    [subject, params, change, interval, refreshIntervalMs],
  );
  // The cards are drawn after the frame in which the controls show a change: together they take too long for one.
  const drawn = useDeferredValue(view);
  const refetch = useRefetchOnClick(subject);
  const feed = useClickFeed(subject.link?.id ?? null, params.includeBots, (clicks) => {
    const countries = lightedCountries(clicks, params);
    for (const show of lights) show(countries);
    refetch();
    onNewClicks?.();
  });
  const { data, error, dataUpdatedAt } = useStats(view, "country");
  const hasNoClicks = data?.total === 0 && data.progress === undefined;

  return (
    <Stack gap="md">
      <StatsToolbar view={view} setAutoRefresh={setAutoRefresh} />
      <Coverage stats={data} answeredAt={dataUpdatedAt} zone={params.zone} />
      {hasCode(error, "range_too_large") ? (
        <FilterLimit view={view} error={error} />
      ) : (
        <>
          <Grid>
            <Grid.Col span={{ base: 12, md: 8 }}>
              <DeferredSeries view={drawn} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <LiveFeed feed={feed} view={view} />
            </Grid.Col>
          </Grid>
          {hasNoClicks && (hasFilters(params.filters) ? <NoMatches change={change} /> : <Empty view={view} />)}
          {!hasNoClicks && <Breakdown view={drawn} cards={cards} lights={lights} />}
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

const WorldMap = lazyPart(() => import("./world-map.tsx"), <Skeleton height={240} />);

const NO_BUCKETS: Stats["buckets"] = [];

const DeferredSeries = memo(SeriesCard);

/** The world map beside the groupings by place, then the other cards. */
const Breakdown = memo(function Breakdown({ view, cards, lights }: BreakdownProps) {
  const { data } = useStats(view, "country");
  const { params, change } = view;
  return (
    <>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <DownloadableCard
            name={texts.map}
            file={`${view.subject.name}-map`}
            saveCsv={data && (() => downloadBuckets(view.subject, "country", data))}
          >
            <WorldMap
              buckets={data?.buckets ?? NO_BUCKETS}
              lights={lights}
              onChoose={(country) => change({ filters: toggleFilter(params.filters, "country", country) })}
            />
          </DownloadableCard>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <GroupingCard card="places" view={view} />
        </Grid.Col>
        {cards.map((card) => (
          <Grid.Col key={card} span={{ base: 12, md: 6 }}>
            <GroupingCard card={card} view={view} />
          </Grid.Col>
        ))}
      </Grid>
      <HeatMapCard view={view} />
    </>
  );
});

/** With filters, only clicks that the stream shows to match. */
function lightedCountries(clicks: readonly FeedClick[], { filters }: StatsParams): string[] {
  const isMatch = feedFilter(filters);
  return isMatch ? clicks.filter(isMatch).map(({ country }) => country) : [];
}

/** Responses are at most a minute old, and stay on the page for a while. */
const LATE_AFTER_MS = 5 * MINUTE_MS;

interface CoverageProps {
  stats: ShownStats | undefined;
  /** When the response arrived, epoch ms. */
  answeredAt: number;
  zone: string;
}

/** The end of the account's statistics, if they are not up to date. */
function Coverage({ stats, answeredAt, zone }: CoverageProps) {
  if (stats?.as_of === undefined) return null;
  const upTo = formatDateTime(stats.as_of, zone);
  if (stats.progress !== undefined) {
    return (
      <Alert color="brand" role="status" title={`${coverageTexts.filling} · ${Math.floor(100 * stats.progress)}%`}>
        <Stack gap="xs">
          <Text size="sm">{stats.total > 0 ? coverageTexts.fillingHint(upTo) : coverageTexts.fillingStarts}</Text>
          <Progress value={100 * stats.progress} aria-label={coverageTexts.progress} />
        </Stack>
      </Alert>
    );
  }
  if (answeredAt - Date.parse(stats.as_of) < LATE_AFTER_MS) return null;
  return (
    <Alert color="yellow" role="status">
      {coverageTexts.late(upTo)}
    </Alert>
  );
}
