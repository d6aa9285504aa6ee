/** Queries of the account and of the deployment's settings. Clears the cache when the account changes. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import type { AccountInfo } from "../../core/contract/dashboard.ts";
import { forgetEarlyResponses } from "../early-loads.ts";
import { ACCOUNT_QUERY_KEY, apiClients, queryClient, rememberSession, setSignInReason, unwrap } from "./client.ts";

/** The dashboard's configuration. It does not change while a page is open. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: () => unwrap(apiClients.live.config.$get()),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The same in both modes. Fetched again when the window gets the focus, so that a new plan shows immediately. */
export const accountQuery = queryOptions({
  queryKey: ACCOUNT_QUERY_KEY,
  queryFn: async (): Promise<AccountInfo> => {
    const account = await unwrap(apiClients.live.account.$get({ query: {} }));
    const known = queryClient.getQueryData<AccountInfo>(ACCOUNT_QUERY_KEY);
    // Another account has signed in. This page holds data and drafts of the first, and stays as it is until it is left.
    if (known && known.id !== account.id) return new Promise(() => location.assign("/dashboard"));
    rememberSession();
    return account;
  },
  refetchOnWindowFocus: "always",
});

export function useAccount() {
  return useQuery(accountQuery);
}

/** The keys of both modes. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: () => unwrap(apiClients.live.keys.$get({ query: {} })),
});

/** The same in both modes. */
export const utmTemplatesQuery = queryOptions({
  queryKey: ["utm-templates"],
  queryFn: () => unwrap(apiClients.live["utm-templates"].$get({ query: {} })),
});

/** At sign-in and sign-out: an account must not see another's cached data, or why that one had to sign in again. */
export function clearQueryCache(): void {
  queryClient.clear();
  forgetEarlyResponses();
  setSignInReason(null);
}
