/** Clicks and visitors over time as totals, chart and table, with an optional comparison to an earlier period. */
import { Button, Group, Menu, Paper, Skeleton, Table, Stack, Text, Title, Tooltip } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { INTERVALS } from "../../../../core/clicks/counting/groupings.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { ALL_LINKS } from "../../../../core/identifiers.ts";
import { figure, SERIES_BINS_MAX, SCAN_CLICKS_MAX } from "../../../../core/limits.ts";
import { hasCode } from "../../../api/api-error.ts";
import { FlatButton, Hint, SmallButton } from "../../../components/buttons.tsx";
import { lazyPart } from "../../../components/lazy-part.tsx";
import { Notice } from "../../../components/states.tsx";
import { formatDateTime, formatPeriod } from "../../../formatting/dates.ts";
import { formatCount, formatChange } from "../../../formatting/numbers.ts";
import { useMode } from "../../../mode.ts";
import { buttonTexts } from "../../../texts/shell.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { AnnotationList, annotationsWithin, binTitles, useAnnotations } from "./annotation-list.tsx";
import { CardDownloads, downloadClicks, downloadSeries } from "./card-downloads.tsx";
import classes from "./series-card.module.css";
import { StatsError, LaterRanges } from "./stats-errors.tsx";
import { hasFilters } from "./stats-params.ts";
import type { SeriesBin, SeriesChartProps, SeriesColumn } from "./series-chart.tsx";
import { isAllTime } from "./time-range.ts";
import {
  boundsOf,
  type ComparedStats,
  type StatsView,
  useStats,
  useStatsBefore,
  useVisitors,
  hasPeriodBefore,
} from "./use-stats.ts";

const SeriesChart = lazyPart(() => import("./series-chart.tsx"), <Skeleton height={260} />);

export function SeriesCard({ view }: { view: StatsView }) {
  const { params, interval, subject } = view;
  const { data, error, refetch, isPlaceholderData } = useStats(view, "country", interval);
  const before = useStatsBefore(view, isPlaceholderData ? undefined : data);
  const columns = seriesColumns(before, useVisitors(view).data);
  const annotations = useAnnotations(subject);
  const { to: end } = boundsOf(view, "range");
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="series-title">
      <Group justify="space-between" align="flex-start" mb="md" wrap="nowrap">
        <SeriesFigures view={view} stats={error ? undefined : data} before={before} />
        {data && !error && <SeriesDownloads view={view} stats={data} columns={columns} />}
      </Group>
      {error && <SeriesError error={error} view={view} retry={() => void refetch()} />}
      {!error && !data && <Skeleton height={260} />}
      {!error && data && (
        <Series
          stats={data}
          columns={columns}
          interval={(isPlaceholderData && INTERVALS.find((shown) => shown === data.interval)) || interval}
          zone={params.zone}
          annotations={annotationsWithin(annotations, data.from, end ?? Date.now())}
          linkId={subject.link?.id ?? ALL_LINKS}
        />
      )}
    </Paper>
  );
}

/** What the chart, the table and the file show of each bin. */
function seriesColumns(before: ComparedStats | undefined, visitors: Stats | undefined): SeriesColumn[] {
  const visitorsAt = new Map(visitors?.series.map(({ start, unique_visitors }) => [start, unique_visitors]));
  return [
    { name: "clicks", label: texts.clicks, countOf: ({ clicks }) => clicks },
    ...(visitors
      ? [{ name: "visitors" as const, label: texts.visitors, countOf: ({ start }: SeriesBin) => visitorsAt.get(start) }]
      : []),
    ...(before
      ? [{ name: "before" as const, label: before.name, countOf: ({ start }: SeriesBin) => before.clicks.get(start) }]
      : []),
  ];
}

interface SeriesDownloadsProps extends Pick<SeriesProps, "stats" | "columns"> {
  view: StatsView;
}

function SeriesDownloads({ view: { subject, params }, stats, columns }: SeriesDownloadsProps) {
  const { mode } = useMode();
  const { link, name } = subject;
  const downloadText = hasFilters(params.filters) ? texts.downloadMatching : texts.downloadClicks;
  return (
    <CardDownloads
      name={texts.overTime}
      file={`${name}-clicks`}
      saveCsv={() => downloadSeries(subject, stats, columns)}
    >
      {link &&
        (["csv", "ndjson"] as const).map((format) => (
          <Menu.Item key={format} onClick={() => void downloadClicks(link.id, params, mode, format)}>
            {downloadText(format.toUpperCase())}
          </Menu.Item>
        ))}
      <Menu.Item onClick={() => print()}>{texts.print}</Menu.Item>
    </CardDownloads>
  );
}

interface SeriesErrorProps {
  error: unknown;
  view: StatsView;
  retry: () => void;
}

/** Offers the next longer interval if the range has too many. */
function SeriesError({ error, view: { interval, change }, retry }: SeriesErrorProps) {
  const longer = INTERVALS[INTERVALS.indexOf(interval) + 1];
  if (!hasCode(error, "too_many_intervals") || !longer) {
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

interface SeriesProps extends SeriesChartProps {
  /** `ALL_LINKS` on the overview. */
  linkId: string;
}

function Series({ linkId, ...chart }: SeriesProps) {
  const { annotations, zone } = chart;
  const [showsTable, setShowsTable] = useState(false);
  return (
    <>
      <SeriesChart {...chart} />
      <AnnotationList annotations={annotations} linkId={linkId} zone={zone} />
      <FlatButton mt="xs" data-not-in-image aria-expanded={showsTable} onClick={() => setShowsTable(!showsTable)}>
        {showsTable ? texts.hideTable : texts.showTable}
      </FlatButton>
      {showsTable && <SeriesTable {...chart} />}
    </>
  );
}

function SeriesTable({ stats, columns, interval, zone }: SeriesChartProps) {
  const titleOf = binTitles(stats, interval, zone);
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={texts.overTime}>
      <Table
        verticalSpacing={4}
        data={{
          head: [texts.begins, ...columns.map(({ label }) => label)],
          body: stats.series.map((bin) => [
            titleOf(bin.start),
            ...columns
              .map(({ countOf }) => countOf(bin))
              .map((count) => (count === undefined ? "–" : formatCount(count))),
          ]),
        }}
      />
    </div>
  );
}

interface SeriesFiguresProps {
  view: StatsView;
  /** Undefined while loading. */
  stats: Stats | undefined;
  before: ComparedStats | undefined;
}

/** The totals above the chart, clicks beside visitors, each compared to an earlier period if requested. */
function SeriesFigures({ view, stats, before }: SeriesFiguresProps) {
  const { range, zone, comparison } = view.params;
  const lacksBefore = comparison !== null && !isAllTime(range) && !hasPeriodBefore(view);
  const { clicks_before: imported } = view.subject.link ?? {};
  return (
    <div>
      <Group className={classes.figures}>
        <div className={classes.figure}>
          <Title order={2} size="h4" id="series-title">
            {texts.clicks}
          </Title>
          <Figure count={stats?.total} before={before?.total} name="total" />
        </div>
        <VisitorsFigure view={view} />
      </Group>
      {stats && (
        <Hint size="xs">
          {formatPeriod(stats.from, stats.to, zone)}
          {lacksBefore && ` · ${texts.nothingToCompare}`}
        </Hint>
      )}
      {imported && (
        <Hint size="xs">
          {texts.importedBefore(formatCount(imported.clicks), imported.source, formatDateTime(imported.until, zone))}
        </Hint>
      )}
    </div>
  );
}

/** Visitors are counted separately: if that fails, the clicks are still shown. */
function VisitorsFigure({ view }: { view: StatsView }) {
  const { data, error, refetch } = useVisitors(view);
  const { data: before } = useVisitors(view, "before");
  return (
    <div className={classes.figure}>
      <Tooltip label={texts.visitorsHint}>
        <Text ff="heading" fz="h4" fw={700} lh="h4">
          {texts.visitors}
        </Text>
      </Tooltip>
      {error && !data ? (
        <VisitorsError error={error} view={view} retry={() => void refetch()} />
      ) : (
        <Figure count={data?.unique_visitors} before={before?.unique_visitors} name="visitors" />
      )}
    </div>
  );
}

function VisitorsError({ error, view, retry }: { error: Error; view: StatsView; retry: () => void }) {
  const note = (text: string, action: ReactNode) => (
    <Stack gap={4} align="flex-start" maw={240}>
      <Hint size="xs">{text}</Hint>
      {action}
    </Stack>
  );
  if (hasCode(error, "range_too_large")) {
    return note(texts.tooManyForVisitors(figure(SCAN_CLICKS_MAX)), <LaterRanges view={view} error={error} max={1} />);
  }
  return note(
    texts.visitorsFailed,
    <Button size="compact-xs" variant="default" onClick={retry}>
      {buttonTexts.tryAgain}
    </Button>,
  );
}

interface FigureProps {
  count: number | undefined;
  before: number | undefined;
  name: "total" | "visitors";
}

function Figure({ count, before, name }: FigureProps) {
  if (count === undefined) return <Skeleton height={40} width={120} mt={4} />;
  return (
    <>
      <div className={classes.total} data-testid={name}>
        {formatCount(count)}
      </div>
      <Text
        size="sm"
        fw={500}
        className={classes.change}
        {...(before === undefined ? {} : { "data-testid": `${name}-change` })}
      >
        {before === 0 && texts.nothingBefore}
        {before ? texts.change(formatChange(count, before), formatCount(before)) : null}
      </Text>
    </>
  );
}
