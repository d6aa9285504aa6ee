/**
 * Data of the dashboard's operator page, and messages between the operator's commands `export` and `links databases` and
 * the Worker.
 */
import * as z from "zod";

import { MODES, PLANS } from "../account.ts";
import { RESET_KINDS } from "../identifiers.ts";
import { PAGE_CLICKS_MAX, PAGE_REVISIONS_MAX, URL_MAX_CHARS } from "../limits.ts";
import { BUCKETS } from "../links/buckets.ts";
import { METRIC_NAMES, METRIC_PERIODS, type Metric, type MetricPeriod } from "../metrics/metrics.ts";
import { EMAIL_MAX_CHARS, Reauthenticate } from "./dashboard.ts";
import { LinkRevision } from "./link-revisions.ts";
import { Link } from "./links.ts";
import { decimal } from "./primitives.ts";

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

const EXPORTED_LINKS_MAX = 200;

export const ExportedAccount = z.object({ id: z.string(), email: z.string(), plan: z.enum(PLANS) });

/** `after`: the last link of the previous page. */
export const ExportedLinksQuery = z.strictObject({
  after: z.string().default(""),
  limit: decimal(1, EXPORTED_LINKS_MAX).default(EXPORTED_LINKS_MAX),
});

/** A deleted link no longer has a destination. */
export const ExportedLink = Link.omit({ clicks: true, revision: true }).extend({
  url: z.string(),
  mode: z.enum(MODES),
  state: z.enum(["active", "disabled", "deleted"]),
});
export type ExportedLink = z.infer<typeof ExportedLink>;

export const ExportedLinks = z.object({ links: z.array(ExportedLink) });

/** `after`: sequence number of the last click of the previous page. */
export const ExportedClicksQuery = z.strictObject({
  after: decimal(0).default(0),
  limit: decimal(1, PAGE_CLICKS_MAX).default(PAGE_CLICKS_MAX),
});

/** `before`: the last revision of the previous page. Deleted links have none. */
export const ExportedRevisionsQuery = z.strictObject({
  before: decimal(1).optional(),
  limit: decimal(1, PAGE_REVISIONS_MAX).default(PAGE_REVISIONS_MAX),
});

/** `next`: `before` of the next page; null on the last. */
export const ExportedRevisions = z.object({ revisions: z.array(LinkRevision), next: z.int().nullable() });
export type ExportedRevisions = z.infer<typeof ExportedRevisions>;

export const LinkDatabasesReport = z.object({
  /** `LINK_DATABASES`, or its default. */
  setting: z.string(),
  databases: z.array(
    z.object({
      name: z.string(),
      /** Links that are not deleted. */
      links: z.int(),
      /** Links ever created, including deleted ones, which keep their slugs. */
      made: z.int(),
      bytes: z.int(),
    }),
  ),
});
export type LinkDatabasesReport = z.infer<typeof LinkDatabasesReport>;

const bucket = z
  .int()
  .min(0)
  .max(BUCKETS - 1);

const LinkKey = z.object({ account_id: z.string().max(64), mode: z.enum(MODES), id: z.string().max(64) });

/** One step of a move. Steps can be repeated. */
export const MoveBuckets = z.object({
  first: bucket,
  last: bucket,
  to: z.string().max(16),
  /** `after` of the previous step; null for the first one, which closes the buckets in their source. */
  after: LinkKey.nullable(),
});
export type MoveBuckets = z.infer<typeof MoveBuckets>;

export const MoveOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("moved"), moved: z.int(), scanned: z.int(), after: LinkKey.nullable() }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
]);
export type MoveOutcome = z.infer<typeof MoveOutcome>;
