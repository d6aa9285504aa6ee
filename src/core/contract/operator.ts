/** Data of the dashboard's operator page. */
import * as z from "zod";

import { METRIC_NAMES, METRIC_PERIODS, type Metric, type MetricPeriod } from "../metrics/metrics.ts";

const Timestamp = z.iso.datetime({ precision: 3 });

/** The response of `/health?deep`. */
export const HealthReport = z.strictObject({
  status: z.enum(["ok", "failing"]),
  /** Version id of the Worker that responds. */
  version: z.string(),
  /** `message`: the problem, or what the check did. `warning`: a problem for people, although the part works. */
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      warning: z.literal(true).optional(),
      message: z.string(),
      ms: z.int(),
    }),
  ),
});
export type HealthReport = z.infer<typeof HealthReport>;
export type HealthCheck = HealthReport["checks"][number];

/** A number of rows, counted up to a bound. */
const BoundedCount = z.strictObject({ count: z.int(), is_more: z.boolean() });

export const OperatorOverview = z.strictObject({
  release: z.string(),
  signups: z.enum(["open", "closed"]),
  accounts: BoundedCount.extend({
    newest: z.array(
      z.strictObject({ id: z.string(), email: z.string(), plan: z.enum(["free", "premium"]), created_at: Timestamp }),
    ),
  }),
  /** Link changes and due erasures that the links' objects have not yet confirmed. */
  outbox: BoundedCount,
  /** Closed accounts that are still to be erased. */
  closing_accounts: BoundedCount,
});
export type OperatorOverview = z.infer<typeof OperatorOverview>;

export const MetricsQuery = z.strictObject({
  period: z.enum(Object.keys(METRIC_PERIODS) as [MetricPeriod, ...MetricPeriod[]]).default("hour"),
});

export const OperatorMetrics = z.strictObject({
  period: MetricsQuery.shape.period,
  counts: z.record(z.enum(METRIC_NAMES as [Metric, ...Metric[]]), z.int()),
});
export type OperatorMetrics = z.infer<typeof OperatorMetrics>;
