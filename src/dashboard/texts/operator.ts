/** Texts of the operator's page. */
import type { Metric, MetricPeriod } from "../../core/metrics/metrics.ts";

export const operatorTexts = {
  title: "Operator",
  description: "How this deployment is doing. Only operators see this page.",
} as const;

export const operatorHealthTexts = {
  title: "Health",
  allGood: "Everything works",
  failing: (count: number) => (count === 1 ? "One check fails" : `${count} checks fail`),
  check: "Check",
  result: "Result",
  time: "Time",
  works: "works",
  fails: "fails",
  again: "Check again",
  ms: (shown: string) => `${shown} ms`,
  names: {
    settings: "Settings",
    hosts: "Hosts",
    database: "Database",
    migrations: "Migrations",
    objects: "Durable Objects",
    images: "QR images",
  } as Record<string, string>,
} as const;

export const operatorMetricsTexts = {
  title: "Redirects and clicks",
  description:
    "Reported about once a minute, so the newest figures may still grow. Requests, errors and CPU are in Cloudflare's dashboard.",
  period: "Period",
  periods: { hour: "Last hour", day: "Last day", week: "Last week" } satisfies Record<MetricPeriod, string>,
  empty: "No activity in this period",
  emptyHint: "Figures appear here about a minute after a link is visited.",
  look: "Needs a look",
  database: "Database",
  clicks: "Clicks",
  clicksPerBatch: "Clicks per write",
  names: {
    lookups: "Reads",
    slow_lookups: "Slow reads",
    failed_lookups: "Failed reads",
    unavailable: "Visits without an answer",
    clicks: "Stored",
    failed_batches: "Writes tried again",
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
  outbox: "Changes to deliver",
  closing: "Accounts being erased",
  newest: "Newest accounts",
  email: "E-mail",
  plan: "Plan",
  created: "Created",
  premium: "Premium",
  free: "Free",
  moreThan: (count: string) => `More than ${count}`,
} as const;
