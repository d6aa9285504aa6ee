/** The account's own domains, as pages ask for them. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { Domain } from "../../core/contract/contract.ts";
import type { Mode } from "../../core/credentials.ts";
import { PAGE_DOMAINS_MAX } from "../../core/limits.ts";
import { configQuery } from "./account.ts";
import { unwrap, okResponse, apiClients, useApi } from "./client.ts";

/** Newest first, as they were last found. */
export function domainsQuery(mode: Mode) {
  return queryOptions({
    queryKey: [mode, "domains"],
    queryFn: async () =>
      (await unwrap(apiClients[mode].domains.$get({ query: { limit: String(PAGE_DOMAINS_MAX) } }))).data,
  });
}

/** Names of the domains that take links: the service's own first, then those of the account that are active. */
export function useActiveDomainNames(): string[] {
  const { mode } = useApi();
  const { data: config } = useQuery(configQuery);
  const { data: domains = [] } = useQuery(domainsQuery(mode));
  const active = domains.filter(({ status }) => status === "active").map(({ domain }) => domain);
  return config ? [config.short_domains[mode], ...active] : active;
}

/** A domain after its records were checked, or as the last check left it, with the time to wait for the next one. */
export async function checkDomain(mode: Mode, id: string): Promise<{ domain: Domain; waitSeconds: number | null }> {
  const response = await okResponse(apiClients[mode].domains[":id"].$get({ param: { id } }));
  const seconds = Number(response.headers.get("Retry-After"));
  return { domain: (await response.json()) as Domain, waitSeconds: seconds > 0 ? seconds : null };
}
