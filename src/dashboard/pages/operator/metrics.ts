/** Which metrics the operator's page shows, and over which period. Pure. */
import { isAlarming, METRIC_PERIODS, type MetricCounts, type MetricPeriod } from "../../../core/metrics/metrics.ts";
import { withParams } from "../../formatting/search-params.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { operatorHealthTexts, operatorMetricsTexts as texts } from "../../texts/operator.ts";

export interface Figure {
  name: string;
  value: string;
  /** What it counts. */
  hint?: string;
  isAlarming?: boolean;
}

type Named = keyof typeof texts.names;

export function metricGroups(counts: MetricCounts): { title: string; figures: Figure[] }[] {
  const counted = (metric: Named): Figure => ({
    name: texts.names[metric],
    value:
      metric === "queue_max_ms" ? operatorHealthTexts.ms(formatCount(counts[metric])) : formatCount(counts[metric]),
    hint: texts.hints[metric],
    isAlarming: isAlarming(metric, counts),
  });
  const clicksPerBatch = counts.batches === 0 ? 0 : counts.clicks / counts.batches;
  return [
    {
      title: texts.database,
      figures: (["lookups", "slow_lookups", "failed_lookups", "unavailable"] as const).map(counted),
    },
    {
      title: texts.clicks,
      figures: [
        counted("clicks"),
        { name: texts.clicksPerBatch, value: clicksPerBatch.toFixed(1), hint: texts.hints.clicksPerBatch },
        ...(["queue_max_ms", "failed_batches", "overloads", "dropped_clicks"] as const).map(counted),
      ],
    },
  ];
}

const DEFAULT_PERIOD: MetricPeriod = "hour";

/** A missing or invalid period becomes the default. */
export function parsePeriod(search: URLSearchParams): MetricPeriod {
  const sent = search.get("period");
  return sent !== null && Object.hasOwn(METRIC_PERIODS, sent) ? (sent as MetricPeriod) : DEFAULT_PERIOD;
}

export function writePeriod(search: URLSearchParams, period: MetricPeriod): URLSearchParams {
  return withParams(search, { period: period === DEFAULT_PERIOD ? null : period });
}
