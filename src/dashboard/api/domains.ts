/** The account's own domains, as the API knows them. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { Mode } from "../../core/credentials.ts";
import { useMode } from "../mode.tsx";
import { apiErrorOf, networkError } from "./api-error.ts";

export interface DomainRecord {
  type: string;
  name: string;
  value: string;
  status: string;
  reason: string | null;
}

export interface Domain {
  id: string;
  domain: string;
  status: "pending" | "active" | "misconfigured";
  records: DomainRecord[];
  checked_at: string | null;
  created_at: string;
  root_url?: string | null;
  not_found_url?: string | null;
}

export function domainsQuery(mode: Mode) {
  return queryOptions({
    queryKey: [mode, "domains"],
    queryFn: async () => (await send<{ data: Domain[] }>(mode, "GET", "/domains")).body.data,
  });
}

/** Names of domains that take links, without the service's own. */
export function useDomainNames(): string[] {
  const { mode } = useMode();
  const { data = [] } = useQuery({ ...domainsQuery(mode), retry: false });
  return data.filter(({ status }) => status === "active").map(({ domain }) => domain);
}

/** @returns the body, and in how many seconds the service will look again */
export async function send<T>(
  mode: Mode,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ body: T; retryAfter: number | null }> {
  const response = await fetch(`/dashboard/api${path}`, {
    method,
    headers: { "Hoplink-Mode": mode, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw networkError();
  });
  if (!response.ok) throw await apiErrorOf(response);
  const seconds = Number(response.headers.get("Retry-After"));
  return {
    body: (response.status === 204 ? undefined : await response.json()) as T,
    retryAfter: seconds > 0 ? seconds : null,
  };
}
