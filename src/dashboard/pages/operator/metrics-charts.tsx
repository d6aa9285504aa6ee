/** Charts of the operator's page. Loaded lazily: the chart library is the largest part of the dashboard. */
import "@mantine/charts/styles.css";

import { AreaChart, BarChart } from "@mantine/charts";
import { Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";

import type { OperatorMetrics } from "../../../core/contract/operator.ts";
import { formatIn } from "../../formatting/dates.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { operatorMetricsTexts as texts } from "../../texts/operator.ts";
import { averageLookupMs } from "./metrics.ts";

const VISITS = [
  { name: "redirect", label: texts.names.redirect, color: "brand.6" },
  { name: "missing", label: texts.names.missing, color: "gray.5" },
  { name: "gone", label: texts.names.gone, color: "yellow.6" },
  { name: "rate_limited", label: texts.names.rate_limited, color: "violet.6" },
  { name: "unavailable", label: texts.names.unavailable, color: "red.7" },
] as const;

export default function MetricsCharts({ metrics: { period, bins } }: { metrics: OperatorMetrics }) {
  const at = (start: string) => formatIn(period === "week" ? "hour" : "time", start);
  const data = bins.map(({ start, counts }) => ({ start, ...counts, average: Math.round(averageLookupMs(counts)) }));
  const look = {
    h: 200,
    data,
    dataKey: "start",
    xAxisProps: { tickFormatter: at, minTickGap: 24 },
    yAxisProps: { allowDecimals: false, width: 56 },
    tooltipProps: { labelFormatter: (start: unknown) => at(String(start)) },
    valueFormatter: formatCount,
  };
  const line = { ...look, withDots: false, strokeWidth: 1.5, curveType: "linear" as const };
  const highest = (value: (bin: (typeof data)[number]) => number) => formatCount(Math.max(...data.map(value)));
  return (
    <Stack gap="lg">
      <Chart title={texts.visitsChart} highest={highest((bin) => VISITS.reduce((sum, { name }) => sum + bin[name], 0))}>
        <BarChart {...look} type="stacked" series={[...VISITS]} withLegend legendProps={{ itemSorter: null }} />
      </Chart>
      <Chart title={texts.lookupChart} highest={highest(({ average }) => average)}>
        <AreaChart {...line} series={[{ name: "average", label: texts.averageLookup, color: "brand.6" }]} />
      </Chart>
      <Chart title={texts.queueChart} highest={highest(({ queue_max_ms }) => queue_max_ms)}>
        <AreaChart {...line} series={[{ name: "queue_max_ms", label: texts.names.queue_max_ms, color: "brand.6" }]} />
      </Chart>
    </Stack>
  );
}

function Chart({ title, highest, children }: { title: string; highest: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <div role="img" aria-label={texts.chartSummary(title, highest)}>
        {children}
      </div>
    </div>
  );
}
