/** Texts of the operator's page. */
import { type Metric, type MetricPeriod, SLOW_LOOKUP_MS } from "../../core/metrics/metrics.ts";
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
  /** Explanations of the figures, shown below their names. */
  hints: {
    lookups: "Links that redirects read from the database",
    slow_lookups: `${SLOW_LOOKUP_MS} ms or more; above 5% needs attention`,
    failed_lookups: "The link came from its object or a cache; above 1% needs attention",
    unavailable: "Visitors who got an error (503); any needs attention",
    clicks: "Clicks that were stored",
    failed_batches: "Failed writes, which are repeated",
    overloads: "Retried writes because a link had too many clicks",
    dropped_clicks: "Clicks that were lost because a queue was full; any needs attention",
    queue_max_ms: "From a visit until its click was stored; above a minute needs attention",
    clicksPerBatch: "Average clicks stored together; more cost less",
  } satisfies Partial<Record<Metric | "clicksPerBatch", string>>,
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

export const operatorAccountTexts = {
  title: "Accounts",
  hint: "The newest accounts. Search by the beginning of an email address, or by ID.",
  search: "Search accounts",
  none: "No account found",
  more: "Show more accounts",
  email: "Email",
  plan: "Plan",
  created: "Created",
  suspended: "Suspended",
  operator: "Operator",
  actions: "Actions",
  actionsFor: (email: string) => `Actions for ${email}`,
  plans: { premium: "Premium", free: "Free" },
  changePlan: { premium: "Change to Premium", free: "Change to Free" },
  planChanged: { premium: (email: string) => `${email} is on Premium`, free: (email: string) => `${email} is on Free` },
  suspend: "Suspend",
  resume: "Resume",
  resumed: (email: string) => `${email} was resumed`,
  notChanged: "The account was not changed",
  suspension: {
    title: "Suspend this account?",
    warning: ["All links of ", " return 410 within ten seconds. Keys and sessions are refused. You can resume it."],
    confirm: "Suspend account",
    done: (email: string) => `${email} was suspended`,
    failed: "The account was not suspended",
  },
  reset: { password: "Reset password", totp: "Reset authenticator app" },
  resetHint: {
    password: "Creates a link with which the account holder sets a new password. Send it only to them.",
    totp: "Creates a link with which the account holder removes the authenticator app. Send it only to them.",
  },
  createLink: "Create link",
  link: "One-time link",
  linkName: "link",
  linkHint: (email: string, time: string) => `For ${email}. Works once, until ${time}. It is not shown again.`,
} as const;

export const operatorLinkTexts = {
  title: "Links",
  hint: "A disabled link returns 410 everywhere within ten seconds. Its owner cannot enable it.",
  shortUrl: "Short URL",
  missing: "Enter a short URL",
  disable: "Disable",
  enable: "Enable",
  disabled: (shortUrl: string) => `${shortUrl} was disabled`,
  enabled: (shortUrl: string) => `${shortUrl} was enabled`,
} as const;

export const operatorDeploymentTexts = {
  title: "Deployment",
  release: "Release",
  signups: "Sign-ups",
  open: "Open",
  closed: "Closed",
  accounts: "Accounts",
  outbox: "Undelivered changes",
  outboxHint: "Changes of links that are still to be confirmed; they redirect correctly",
  closing: "Accounts being deleted",
  closingHint: "Closed accounts whose data is being erased",
  moreThan: (count: string) => `More than ${count}`,
} as const;
