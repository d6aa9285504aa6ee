/** Texts of the operator's page. */
import type { Metric, MetricPeriod } from "../../core/metrics/metrics.ts";
import { plural } from "../formatting/numbers.ts";

export const operatorTexts = {
  title: "Operator",
  description: "Health and activity of this deployment. Only operators see this page.",
} as const;

export const operatorHealthTexts = {
  title: "Health",
  allGood: "All checks passed",
  failing: (count: number) => plural(count, { one: "# check failed", other: "# checks failed" }),
  check: "Check",
  result: "Result",
  time: "Time",
  passed: "passed",
  failed: "failed",
  again: "Check again",
  ms: (shown: string) => `${shown} ms`,
  names: {
    settings: "Settings",
    hosts: "Hosts",
    database: "Database",
    migrations: "Migrations",
    objects: "Durable Objects",
    images: "QR images",
    passwords: "Link passwords",
  } as Record<string, string>,
} as const;

export const operatorMetricsTexts = {
  title: "Redirects and clicks",
  description:
    "Updated about once a minute, so the newest figures may still grow. Cloudflare's dashboard shows requests, errors and CPU time.",
  period: "Period",
  periods: { hour: "Last hour", day: "Last day", week: "Last week" } satisfies Record<MetricPeriod, string>,
  empty: "No activity in this period",
  emptyHint: "Figures appear here about a minute after a link is visited.",
  look: "Needs attention",
  database: "Database",
  clicks: "Clicks",
  clicksPerBatch: "Clicks per write",
  names: {
    lookups: "Reads",
    slow_lookups: "Slow reads",
    failed_lookups: "Failed reads",
    unavailable: "Unanswered visits",
    clicks: "Stored",
    failed_batches: "Retried writes",
    overloads: "Overloads",
    dropped_clicks: "Lost clicks",
    queue_max_ms: "Longest wait",
  } satisfies Partial<Record<Metric, string>>,
} as const;

export const operatorDeploymentTexts = {
  title: "Deployment",
  release: "Release",
  signups: "Sign-ups",
  open: "Open",
  closed: "Closed",
  accounts: "Accounts",
  outbox: "Undelivered changes",
  closing: "Accounts being deleted",
  newest: "Newest accounts",
  email: "Email",
  plan: "Plan",
  created: "Created",
  premium: "Premium",
  free: "Free",
  moreThan: (count: string) => `More than ${count}`,
} as const;
