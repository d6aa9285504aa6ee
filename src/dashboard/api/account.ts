/** Queries of the account and of the deployment's settings; clearing the cache when the account changes. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { AccountInfo, DashboardConfig } from "../../core/contract/dashboard.ts";
import { unwrap, apiClients } from "./client.ts";
import { ACCOUNT_QUERY_KEY, queryClient } from "./query-client.ts";
import { rememberSession, setSignInReason } from "./session.ts";

/** Does not change while a page is open. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: (): Promise<DashboardConfig> => unwrap(apiClients.live.config.$get()),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The same in both modes. Fetched again whenever the window gets the focus, so that a change of plan shows at once. */
export const accountQuery = queryOptions({
  queryKey: ACCOUNT_QUERY_KEY,
  queryFn: async (): Promise<AccountInfo> => {
    const account = await unwrap(apiClients.live.account.$get({ query: {} }));
    rememberSession();
    return account;
  },
  refetchOnWindowFocus: "always",
});

export function useAccount() {
  return useQuery(accountQuery);
}

/** Of both modes. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: () => unwrap(apiClients.live.keys.$get({ query: {} })),
});

/** At sign-in and sign-out: one account must not see cached data of another, nor why that had to sign in again. */
export function clearQueryCache(): void {
  queryClient.clear();
  setSignInReason(null);
}
