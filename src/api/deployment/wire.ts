/** What the operator's page is sent. */
import type { OperatorMetrics, OperatorOverview } from "../../core/contract/operator.ts";
import type { MetricBin, MetricPeriod } from "../../core/metrics/metric-bins.ts";
import { RELEASE } from "../../core/release.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { BoundedCount, Overview } from "../../store/operators/overview.ts";

export function wireOverview(env: Env, { accounts, outbox, closingAccounts }: Overview): OperatorOverview {
  return {
    release: RELEASE,
    signups: env.SIGNUPS === "open" ? "open" : "closed",
    accounts: { ...wireCount(accounts), newest: accounts.newest.map(wireAccount) },
    outbox: wireCount(outbox),
    closing_accounts: wireCount(closingAccounts),
  };
}

export function wireMetrics(period: MetricPeriod, bins: readonly MetricBin[]): OperatorMetrics {
  return { period, bins: bins.map(({ at, counts }) => ({ start: timestamp(at), counts })) };
}

function wireCount({ count, isMore }: BoundedCount) {
  return { count, is_more: isMore };
}

function wireAccount({ id, email, plan, createdAt }: Overview["accounts"]["newest"][number]) {
  return { id, email, plan, created_at: timestamp(createdAt) };
}
