/** Clicks over time: the total, a chart, and the same as a table. */
import { Alert, Button, Group, Paper, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useState } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import { type Interval, INTERVALS, SERIES_BINS_MAX } from "../../../../core/clicks/groupings.ts";
import { figure } from "../../../../core/limits.ts";
import { ApiError } from "../../../api/api-error.ts";
import { lazyPart } from "../../../components/lazy-part.tsx";
import { ErrorState } from "../../../components/states.tsx";
import { formatCount } from "../../../formatting/numbers.ts";
import { binTitle } from "./bin-labels.ts";
import classes from "./series-card.module.css";
import { type StatsView, useStats } from "./use-stats.ts";

const SeriesChart = lazyPart(() => import("./series-chart.tsx"), <Skeleton height={260} />);

interface SeriesCardProps {
  view: StatsView;
  interval: Interval;
  setInterval: (interval: Interval) => void;
}

export function SeriesCard({ view, interval, setInterval }: SeriesCardProps) {
  const { data, error, refetch, isPlaceholderData } = useStats(view, "country", interval);
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="series-title">
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={2} size="h4" id="series-title">
            Clicks
          </Title>
          {data ? <Total stats={data} zone={view.zone} /> : !error && <Skeleton height={40} width={120} mt={4} />}
        </div>
      </Group>
      {error ? (
        <SeriesError error={error} interval={interval} setInterval={setInterval} retry={() => void refetch()} />
      ) : (
        <Series
          stats={data}
          interval={isPlaceholderData ? toInterval(data?.interval, interval) : interval}
          zone={view.zone}
        />
      )}
    </Paper>
  );
}

function Total({ stats, zone }: { stats: Stats; zone: string }) {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: zone });
  return (
    <>
      <div className={classes.total} data-testid="total">
        {formatCount(stats.total)}
      </div>
      <Text size="xs" c="dimmed">
        {format.formatRange(Date.parse(stats.from), Date.parse(stats.to))}
      </Text>
    </>
  );
}

interface SeriesErrorProps {
  error: unknown;
  interval: Interval;
  setInterval: (interval: Interval) => void;
  retry: () => void;
}

/** Offers the next longer interval when the range has too many. */
function SeriesError({ error, interval, setInterval, retry }: SeriesErrorProps) {
  const longer = INTERVALS[INTERVALS.indexOf(interval) + 1];
  if (!(error instanceof ApiError) || error.code !== "too_many_intervals" || !longer) {
    return <ErrorState error={error} retry={retry} />;
  }
  return (
    <Alert color="yellow" variant="light" title="Too many bars" role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          This range holds more than {figure(SERIES_BINS_MAX)} intervals of one {interval}. Choose longer intervals or a
          shorter range.
        </Text>
        <Button size="xs" variant="default" onClick={() => setInterval(longer)}>
          Show by the {longer}
        </Button>
      </Stack>
    </Alert>
  );
}

function Series({ stats, interval, zone }: { stats: Stats | undefined; interval: Interval; zone: string }) {
  const [showsTable, setShowsTable] = useState(false);
  if (!stats) return <Skeleton height={260} />;
  return (
    <>
      <SeriesChart series={stats.series} interval={interval} zone={zone} label={chartLabel(stats, interval)} />
      <Button
        variant="subtle"
        size="compact-sm"
        mt="xs"
        aria-expanded={showsTable}
        onClick={() => setShowsTable(!showsTable)}
      >
        {showsTable ? "Hide the table" : "Show as a table"}
      </Button>
      {showsTable && <SeriesTable stats={stats} interval={interval} zone={zone} />}
    </>
  );
}

function SeriesTable({ stats, interval, zone }: { stats: Stats; interval: Interval; zone: string }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label="Clicks over time">
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Begins</Table.Th>
            <Table.Th className={classes.clicks}>Clicks</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {stats.series.map(({ start, clicks }) => (
            <Table.Tr key={start}>
              <Table.Td>{binTitle(start, interval, zone)}</Table.Td>
              <Table.Td className={classes.clicks}>{formatCount(clicks)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function chartLabel({ total, series }: Stats, interval: Interval): string {
  const most = Math.max(0, ...series.map(({ clicks }) => clicks));
  return `Chart of clicks by the ${interval}: ${formatCount(total)} in all, at most ${formatCount(most)} in one ${interval}`;
}

function toInterval(text: string | null | undefined, otherwise: Interval): Interval {
  return INTERVALS.find((interval) => interval === text) ?? otherwise;
}
