/** Data of the dashboard's operator page. */
import * as z from "zod";

import { PLANS } from "../account.ts";
import { RESET_KINDS } from "../identifiers.ts";
import { URL_MAX_CHARS } from "../limits.ts";
import { METRIC_NAMES, METRIC_PERIODS, type Metric, type MetricPeriod } from "../metrics/metrics.ts";
import { EMAIL_MAX_CHARS, Reauthenticate } from "./dashboard.ts";

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

/** An account that operators can change. */
export const ManagedAccount = z.strictObject({
  id: z.string(),
  email: z.string(),
  plan: z.enum(PLANS),
  is_operator: z.boolean(),
  /** Whether signing in with the password also requires an authenticator app. */
  has_totp: z.boolean(),
  created_at: Timestamp,
  suspended_at: Timestamp.nullable(),
});
export type ManagedAccount = z.infer<typeof ManagedAccount>;

/** The beginning of an email address, or an ID; and the `next_cursor` of the page before. */
export const AccountSearch = z.strictObject({
  search: z.string().min(1).max(EMAIL_MAX_CHARS),
  cursor: z.string().max(EMAIL_MAX_CHARS).default(""),
});

export const ManagedAccountList = z.strictObject({ data: z.array(ManagedAccount), next_cursor: z.string().nullable() });
export type ManagedAccountList = z.infer<typeof ManagedAccountList>;

export const ChangeAccount = z.strictObject({ plan: z.enum(PLANS).optional(), suspended: z.boolean().optional() });

/** `password` is the operator's own: the link takes over an account. */
export const CreateReset = Reauthenticate.extend({ kind: z.enum(RESET_KINDS) });

export const ResetLink = z.strictObject({ url: z.string(), expires_at: Timestamp });
export type ResetLink = z.infer<typeof ResetLink>;

export const DisableLink = z.strictObject({ short_url: z.string().max(URL_MAX_CHARS), disabled: z.boolean() });

export const OperatorOverview = z.strictObject({
  release: z.string(),
  signups: z.enum(["open", "closed"]),
  accounts: BoundedCount.extend({
    newest: z.array(ManagedAccount),
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
