/** Chart of clicks over time. Loaded lazily: the chart library is the largest part of the dashboard. */
import "@mantine/charts/styles.css";

import { CompositeChart } from "@mantine/charts";
import { Box, Group, Text } from "@mantine/core";
import type { BarShapeProps } from "recharts";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import { axisTicks, formatCount } from "../../../formatting/numbers.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { type Annotation, annotatedBins, binTitles, incompleteBin } from "./annotation-list.tsx";
import classes from "./series-card.module.css";
import { binLabel } from "./time-range.ts";

/** With more bars, each would be thinner than the gap beside it. */
const BARS_MAX = 100;

export type SeriesBin = Stats["series"][number];

export interface SeriesColumn {
  name: "clicks" | "visitors" | "before";
  label: string;
  /** Undefined where there is none. */
  countOf: (bin: SeriesBin) => number | undefined;
}

export interface SeriesChartProps {
  stats: Stats;
  columns: readonly SeriesColumn[];
  interval: Interval;
  zone: string;
  annotations: readonly Annotation[];
}

const STYLES = {
  clicks: { color: "brand.6" },
  visitors: { color: "orange.6", type: "line" },
  before: { color: "gray.6", strokeDasharray: "4 3", type: "line" },
} as const;

export default function SeriesChart({ stats, columns, interval, zone, annotations }: SeriesChartProps) {
  const { series, total } = stats;
  const hasBars = series.length <= BARS_MAX;
  const data = series.map((bin) => ({
    start: bin.start,
    ...Object.fromEntries(columns.map(({ name, countOf }) => [name, countOf(bin)])),
  }));
  const highest = (shown: readonly SeriesColumn[]) =>
    Math.max(0, ...series.flatMap((bin) => shown.map(({ countOf }) => countOf(bin) ?? 0)));
  const ticks = axisTicks(highest(columns));
  const top = Math.max(...ticks);
  const incomplete = incompleteBin(stats, interval, zone);
  const titleOf = binTitles(stats, interval, zone);
  const shown = columns.map(({ name, label }) => ({
    type: hasBars ? ("bar" as const) : ("area" as const),
    name,
    label,
    ...STYLES[name],
  }));
  const label = texts.chart(interval, formatCount(total), formatCount(highest(columns.slice(0, 1))));
  return (
    <>
      <div role="img" aria-label={label} className={classes.chart}>
        <CompositeChart
          h={260}
          data={data}
          dataKey="start"
          series={shown}
          maxBarWidth={48}
          barProps={{
            shape: (bar: BarShapeProps) => <ClickBar {...bar} isIncomplete={bar.payload.start === incomplete} />,
          }}
          withDots={false}
          strokeWidth={1.5}
          curveType={hasBars ? "linear" : "step"}
          tickLine="y"
          classNames={{ tooltip: classes.tooltip }}
          xAxisProps={{
            tickFormatter: (start: string) => binLabel(start, interval, zone),
            minTickGap: 24,
            interval: "equidistantPreserveStart",
          }}
          // The highest number stays at its line, above which it needs room.
          composedChartProps={{ margin: { top: 8 } }}
          yAxisProps={{
            interval: 0,
            ticks,
            domain: [0, top],
            // Its line and margin, and about 7 px for each digit.
            width: 24 + 7 * formatCount(top).length,
            tickFormatter: formatCount,
          }}
          tooltipProps={{ labelFormatter: (start: unknown) => titleOf(String(start)) }}
          referenceAreas={
            hasBars || incomplete === null
              ? []
              : [{ x1: series.at(-2)?.start ?? incomplete, x2: incomplete, color: "gray.6", strokeDasharray: "2 2" }]
          }
          referenceLines={annotatedBins(annotations, series, interval, zone).map(({ start, numbers }) => ({
            x: start,
            color: "gray.6",
            strokeDasharray: "2 3",
            label: numbers.join(", "),
            labelPosition:
              series.findIndex((bin) => bin.start === start) < series.length / 2 ? "insideTopLeft" : "insideTopRight",
          }))}
        />
      </div>
      <Group component="ul" gap="md" m={0} mt={4} p={0} className={classes.legend} aria-label={texts.legend}>
        {shown.map(({ name, label: text, color, type }) => (
          <LegendItem key={name} color={color} kind={name === "before" ? "dashed" : type} text={text} />
        ))}
        {incomplete !== null && (
          <LegendItem color={hasBars ? "brand.6" : "gray.6"} kind="incomplete" text={texts.incomplete} />
        )}
      </Group>
    </>
  );
}

function LegendItem({ color, kind, text }: { color: string; kind: string; text: string }) {
  return (
    <Group component="li" gap={6} wrap="nowrap">
      <Box component="span" className={classes.sign} c={color} data-kind={kind} aria-hidden />
      <Text size="xs">{text}</Text>
    </Group>
  );
}

/** A bar that will still grow, or of which the range has only a part, is an outline. */
function ClickBar({ x, y, width, height, fill, fillOpacity, isIncomplete }: BarShapeProps & { isIncomplete: boolean }) {
  if (height <= 0) return null;
  if (!isIncomplete) return <rect {...{ x, y, width, height, fill, fillOpacity }} />;
  return (
    <rect
      {...{ x, y, width, height, fill }}
      data-incomplete
      fillOpacity={0.2 * Number(fillOpacity)}
      stroke={fill}
      strokeDasharray="3 2"
    />
  );
}
