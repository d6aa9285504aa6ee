/** Chart of clicks over time. Loaded lazily: the chart library is the largest part of the dashboard. */
import "@mantine/charts/styles.css";

import { AreaChart, BarChart } from "@mantine/charts";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Interval } from "../../../../core/clicks/groupings.ts";
import { binLabel, binTitle } from "./bin-labels.ts";

/** Beyond this many bars each would be thinner than the gap beside it. */
const BARS_MAX = 100;

interface SeriesChartProps {
  series: Stats["series"];
  interval: Interval;
  zone: string;
  label: string;
}

export default function SeriesChart({ series, interval, zone, label }: SeriesChartProps) {
  const data = series.map(({ start, clicks }) => ({ start, clicks }));
  const common = {
    h: 260,
    data,
    dataKey: "start",
    series: [{ name: "clicks", label: "Clicks", color: "brand.6" }],
    xAxisProps: { tickFormatter: (start: string) => binLabel(start, interval, zone), minTickGap: 24 },
    yAxisProps: { allowDecimals: false, width: 44 },
    tooltipProps: { labelFormatter: (label: unknown) => binTitle(String(label), interval, zone) },
  };
  return (
    <div role="img" aria-label={label}>
      {series.length <= BARS_MAX ? (
        <BarChart {...common} maxBarWidth={48} />
      ) : (
        <AreaChart {...common} curveType="step" withDots={false} strokeWidth={1} />
      )}
    </div>
  );
}
