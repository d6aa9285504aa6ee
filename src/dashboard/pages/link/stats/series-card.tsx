/** Clicks and visitors over time: sums, a chart, and the same as a table; beside the period before, if asked for. */
import { Button, Group, Menu, Paper, Skeleton, Table } from "@mantine/core";
import { type RefObject, useRef, useState } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import { type Interval, INTERVALS } from "../../../../core/clicks/counting/groupings.ts";
import { figure, SERIES_BINS_MAX } from "../../../../core/limits.ts";
import { ApiError } from "../../../api/api-error.ts";
import { lazyPart } from "../../../components/lazy-part.tsx";
import { SmallButton } from "../../../components/buttons.tsx";
import { Notice } from "../../../components/states.tsx";
import { formatCount } from "../../../formatting/numbers.ts";
import { icon } from "../../../icons.tsx";
import { useMode } from "../../../mode.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { binTitle } from "./time-labels.ts";
import { downloadChart, downloadClicks, downloadSeries } from "./downloads.ts";
import classes from "./series-card.module.css";
import { SeriesFigures } from "./series-figures.tsx";
import { StatsError } from "./stats-errors.tsx";
import { hasFilters } from "./stats-params.ts";
import {
  type StatsView,
  useStats,
  useStatsBefore,
  useVisitors,
  type VisitorsByStart,
  visitorsByStart,
} from "./use-stats.ts";

const SeriesChart = lazyPart(() => import("./series-chart.tsx"), <Skeleton height={260} />);

export function SeriesCard({ view }: { view: StatsView }) {
  const { params, interval } = view;
  const chart = useRef<HTMLDivElement>(null);
  const { data, error, refetch, isPlaceholderData } = useStats(view, "country", interval);
  const before = useStatsBefore(view);
  const visitors = visitorsByStart(useVisitors(view).data);
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="series-title">
      <Group justify="space-between" align="flex-start" mb="md" wrap="nowrap">
        <SeriesFigures view={view} stats={error ? undefined : data} before={before} />
        {data && !error && <DownloadMenu view={view} stats={data} before={before} visitors={visitors} chart={chart} />}
      </Group>
      {error && <SeriesError error={error} view={view} retry={() => void refetch()} />}
      {!error && !data && <Skeleton height={260} />}
      {!error && data && (
        <Series
          chart={chart}
          stats={data}
          before={before}
          visitors={visitors}
          interval={isPlaceholderData ? toInterval(data.interval, interval) : interval}
          zone={params.zone}
        />
      )}
    </Paper>
  );
}

/** What the chart, the table and the files show. */
interface SeriesData {
  stats: Stats;
  /** The period before. */
  before: Stats | undefined;
  visitors: VisitorsByStart | undefined;
}

type ChartRef = RefObject<HTMLDivElement | null>;

function DownloadMenu({ view, chart, stats, before, visitors }: SeriesData & { view: StatsView; chart: ChartRef }) {
  const { mode } = useMode();
  const { subject, params } = view;
  const { link } = subject;
  const downloadText = hasFilters(params.filters) ? texts.downloadMatching : texts.downloadClicks;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <SmallButton leftSection={icon("download", 14)}>{texts.download}</SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void downloadSeries(subject, stats, before, visitors)}>
          {texts.downloadSeries}
        </Menu.Item>
        <Menu.Item onClick={() => chart.current && void downloadChart(subject, chart.current)}>
          {texts.downloadChart}
        </Menu.Item>
        {link &&
          (["csv", "ndjson"] as const).map((format) => (
            <Menu.Item key={format} onClick={() => void downloadClicks({ link, params }, mode, format)}>
              {downloadText(format.toUpperCase())}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface SeriesErrorProps {
  error: unknown;
  view: StatsView;
  retry: () => void;
}

/** Offers the next longer interval when the range has too many. */
function SeriesError({ error, view: { interval, change }, retry }: SeriesErrorProps) {
  const longer = INTERVALS[INTERVALS.indexOf(interval) + 1];
  if (!(error instanceof ApiError) || error.code !== "too_many_intervals" || !longer) {
    return <StatsError error={error} retry={retry} />;
  }
  return (
    <Notice
      color="yellow"
      title={texts.tooManyBins}
      actions={<SmallButton onClick={() => change({ interval: longer })}>{texts.showByInterval(longer)}</SmallButton>}
    >
      {texts.tooManyBinsHint(figure(SERIES_BINS_MAX), interval)}
    </Notice>
  );
}

interface SeriesProps extends SeriesData {
  interval: Interval;
  zone: string;
}

function Series({ chart, ...series }: SeriesProps & { chart: ChartRef }) {
  const { stats, before, visitors, interval, zone } = series;
  const [showsTable, setShowsTable] = useState(false);
  return (
    <>
      <div ref={chart}>
        <SeriesChart
          series={stats.series}
          before={before?.series}
          visitors={visitors}
          interval={interval}
          zone={zone}
          label={chartLabel(stats, interval)}
        />
      </div>
      <Button
        variant="subtle"
        size="compact-sm"
        mt="xs"
        aria-expanded={showsTable}
        onClick={() => setShowsTable(!showsTable)}
      >
        {showsTable ? texts.hideTable : texts.showTable}
      </Button>
      {showsTable && <SeriesTable {...series} />}
    </>
  );
}

function SeriesTable({ stats, before, visitors, interval, zone }: SeriesProps) {
  const columns = [texts.clicks, ...(visitors ? [texts.visitors] : []), ...(before ? [texts.clicksBefore] : [])];
  const countsOf = ({ start, clicks }: Stats["series"][number], index: number) => [
    clicks,
    ...(visitors ? [visitors.get(start) ?? 0] : []),
    ...(before ? [before.series[index]?.clicks] : []),
  ];
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={texts.overTime}>
      <Table
        verticalSpacing={4}
        data={{
          head: [texts.begins, ...columns],
          body: stats.series.map((bin, index) => [
            binTitle(bin.start, interval, zone),
            ...countsOf(bin, index).map((count) => (count === undefined ? "–" : formatCount(count))),
          ]),
        }}
      />
    </div>
  );
}

function chartLabel({ total, series }: Stats, interval: Interval): string {
  const most = Math.max(0, ...series.map(({ clicks }) => clicks));
  return texts.chart(interval, formatCount(total), formatCount(most));
}

function toInterval(text: string | null | undefined, otherwise: Interval): Interval {
  return INTERVALS.find((interval) => interval === text) ?? otherwise;
}
