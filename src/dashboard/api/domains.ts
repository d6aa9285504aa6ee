/** Queries of the account's domains. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { Mode } from "../../core/account.ts";
import type { Domain } from "../../core/contract/domains.ts";

import { PAGE_DOMAINS_MAX } from "../../core/limits.ts";
import { configQuery } from "./account.ts";
import { okResponse, readBody } from "./api-error.ts";
import { apiClients, queryClient, unwrap, useApi } from "./client.ts";
import { useSingleMutation } from "./mutations.ts";

/** Newest first, with the result of the last check. */
export function domainsQuery(mode: Mode) {
  return queryOptions({
    queryKey: [mode, "domains"],
    queryFn: async () =>
      (await unwrap(apiClients[mode].domains.$get({ query: { limit: String(PAGE_DOMAINS_MAX) } }))).data,
  });
}

/** Domains on which links can be created: the service's own first, then the account's active ones. */
export function useActiveDomainNames(): string[] {
  const { mode } = useApi();
  const { data: config } = useQuery(configQuery);
  const { data: domains = [] } = useQuery(domainsQuery(mode));
  const active = domains.filter(({ status }) => status === "active").map(({ domain }) => domain);
  return config ? [config.short_domains[mode], ...active] : active;
}

export type DomainSetting = "case_sensitive" | "peek";

/** Turns a setting of a domain on or off. `case_sensitive` fails if the domain already has links. */
export function useDomainSetting(
  id: string,
  setting: DomainSetting,
  { onSuccess, onError }: { onSuccess?: (domain: Domain) => void; onError?: (error: Error) => void } = {},
) {
  const { api, mode } = useApi();
  return useSingleMutation({
    mutationFn: (isOn: boolean) => unwrap(api.domains[":id"].$patch({ param: { id }, json: { [setting]: isOn } })),
    onSuccess: async (domain) => {
      await queryClient.invalidateQueries(domainsQuery(mode));
      onSuccess?.(domain);
    },
    onError: (error) => onError?.(error),
  });
}

/** Checks the domain's records. Between checks, the API returns the last result and how long to wait. */
export async function checkDomain(mode: Mode, id: string): Promise<{ domain: Domain; waitSeconds: number | null }> {
  const response = await okResponse(apiClients[mode].domains[":id"].$get({ param: { id } }));
  const seconds = Number(response.headers.get("Retry-After"));
  return { domain: await readBody<Domain>(response), waitSeconds: seconds > 0 ? seconds : null };
}
