/** What the operator's page shows of the metrics, and over which period. Pure. */
import { isAlarming, type MetricCounts } from "../../../core/metrics/metrics.ts";
import { METRIC_PERIODS, type MetricPeriod } from "../../../core/metrics/metric-bins.ts";
import { withParams } from "../../formatting/search-params.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { operatorHealthTexts, operatorMetricsTexts as texts } from "../../texts/operator.ts";

export interface Figure {
  name: string;
  value: string;
  isAlarming?: boolean;
}

export interface MetricGroup {
  title: string;
  figures: Figure[];
}

type Named = keyof typeof texts.names;

export function metricGroups(counts: MetricCounts): MetricGroup[] {
  const counted = (metric: Named): Figure => ({
    name: texts.names[metric],
    value:
      metric === "queue_max_ms" ? operatorHealthTexts.ms(formatCount(counts[metric])) : formatCount(counts[metric]),
    isAlarming: isAlarming(metric, counts),
  });
  const derived = (name: string, value: string): Figure => ({ name, value });
  return [
    {
      title: texts.visits,
      figures: (["redirect", "missing", "gone", "rate_limited", "unavailable", "method_not_allowed"] as const).map(
        counted,
      ),
    },
    {
      title: texts.database,
      figures: [
        counted("lookups"),
        derived(texts.averageLookup, operatorHealthTexts.ms(formatCount(Math.round(averageLookupMs(counts))))),
        counted("slow_lookups"),
        counted("failed_lookups"),
      ],
    },
    {
      title: texts.clicks,
      figures: [
        counted("clicks"),
        derived(texts.clicksPerBatch, ratio(counts.clicks, counts.batches).toFixed(1)),
        counted("queue_max_ms"),
        counted("failed_batches"),
        counted("overloads"),
        counted("dropped_clicks"),
      ],
    },
    { title: texts.service, figures: [counted("requests"), counted("failed_requests")] },
  ];
}

export function averageLookupMs({ lookup_ms, lookups }: MetricCounts): number {
  return ratio(lookup_ms, lookups);
}

function ratio(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

const DEFAULT_PERIOD: MetricPeriod = "hour";

/** What an address does not say, or says wrong, is the default. */
export function parsePeriod(search: URLSearchParams): MetricPeriod {
  const sent = search.get("period");
  return sent !== null && Object.hasOwn(METRIC_PERIODS, sent) ? (sent as MetricPeriod) : DEFAULT_PERIOD;
}

export function writePeriod(search: URLSearchParams, period: MetricPeriod): URLSearchParams {
  return withParams(search, { period: period === DEFAULT_PERIOD ? null : period });
}
