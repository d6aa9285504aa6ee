/** The account, what the deployment offers, and what changes hands when somebody signs in or out. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { AccountInfo, DashboardConfig } from "../../core/contract/dashboard.ts";
import { unwrap, apiClients } from "./client.ts";
import { queryClient } from "./query-client.ts";

export type Account = AccountInfo;
export type ServiceConfig = DashboardConfig;

/** Does not change while a page is open. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: (): Promise<ServiceConfig> => unwrap(apiClients.live.config.$get()),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The same in both modes. Asked for again whenever the window is looked at: a change of plan shows at once. */
export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: (): Promise<Account> => unwrap(apiClients.live.account.$get({ query: {} })),
  refetchOnWindowFocus: "always",
});

export function useAccount() {
  return useQuery(accountQuery);
}

/** Forgets whatever an earlier account has left. */
export function clearQueryCache(): void {
  queryClient.clear();
}
