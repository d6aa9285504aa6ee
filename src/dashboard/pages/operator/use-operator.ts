/** Queries of the operator's page. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import type { HealthReport } from "../../../core/contract/operator.ts";
import type { MetricPeriod } from "../../../core/metrics/metrics.ts";
import { readApiError, responseOf } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";

const REFRESH_MS = 60_000;

export function useOverview() {
  return useQuery({
    queryKey: ["operator", "overview"],
    queryFn: () => unwrap(apiClients.live.deployment.$get({ query: {} })),
    refetchInterval: REFRESH_MS,
  });
}

export function useMetrics(period: MetricPeriod) {
  return useQuery({
    queryKey: ["operator", "metrics", period],
    queryFn: () => unwrap(apiClients.live.deployment.metrics.$get({ query: { period } })),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** Not repeated automatically, because the checks write data. */
export function useHealth() {
  return useQuery({ queryKey: ["operator", "health"], queryFn: readHealth, staleTime: Number.POSITIVE_INFINITY });
}

/** If a check fails, the response is a 503 with the report as its body. */
async function readHealth(): Promise<HealthReport> {
  const response = await responseOf(apiClients.live.health.$get());
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (isReport(body)) return body;
  throw await readApiError(response);
}

function isReport(body: unknown): body is HealthReport {
  return typeof body === "object" && body !== null && "checks" in body;
}
