/** Chart of clicks over time. Loaded lazily: the chart library is the largest part of the dashboard. */
import "@mantine/charts/styles.css";

import { CompositeChart } from "@mantine/charts";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { binLabel, binTitle } from "./time-labels.ts";
import type { VisitorsByStart } from "./use-stats.ts";

/** With more bars, each would be thinner than the gap beside it. */
const BARS_MAX = 100;

interface SeriesChartProps {
  series: Stats["series"];
  /** Bins of the previous period, matched by index. */
  before: Stats["series"] | undefined;
  visitors: VisitorsByStart | undefined;
  interval: Interval;
  zone: string;
  label: string;
}

export default function SeriesChart({ series, before, visitors, interval, zone, label }: SeriesChartProps) {
  const data = series.map(({ start, clicks }, index) => ({
    start,
    clicks,
    before: before?.[index]?.clicks,
    visitors: visitors?.get(start),
  }));
  const clicks = { name: "clicks", label: texts.clicks, color: "brand.6" };
  const clicksBefore = { name: "before", label: texts.clicksBefore, color: "gray.6", strokeDasharray: "4 3" };
  const ofVisitors = { name: "visitors", label: texts.visitors, color: "orange.6" };
  return (
    <div role="img" aria-label={label}>
      <CompositeChart
        h={260}
        data={data}
        dataKey="start"
        series={[
          series.length <= BARS_MAX ? { ...clicks, type: "bar" } : { ...clicks, type: "area" },
          ...(visitors ? [{ ...ofVisitors, type: "line" as const }] : []),
          ...(before ? [{ ...clicksBefore, type: "line" as const }] : []),
        ]}
        maxBarWidth={48}
        withDots={false}
        strokeWidth={1.5}
        curveType={series.length <= BARS_MAX ? "linear" : "step"}
        xAxisProps={{ tickFormatter: (start: string) => binLabel(start, interval, zone), minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, width: 44 }}
        tooltipProps={{ labelFormatter: (start: unknown) => binTitle(String(start), interval, zone) }}
      />
    </div>
  );
}
