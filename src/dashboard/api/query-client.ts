/** Caching and retries of all queries. A 401 to any request means that the session has ended: redirects to sign-in. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { navigate } from "wouter/use-browser-location";

import { ApiError } from "./api-error.ts";

const STALE_MS = 15_000;
const RETRIES_MAX = 2;

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: redirectOn401 }),
  mutationCache: new MutationCache({ onError: redirectOn401 }),
  defaultOptions: {
    // Requests never wait for a network: one that waits would be sent long after its dialog was closed.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: "always",
      staleTime: STALE_MS,
      retry: (failures, error) => failures < RETRIES_MAX && mayRetryAtOnce(error),
    },
  },
});

/** Clears the cache and goes to sign-in, which returns to this page afterwards. */
function redirectToSignIn(): void {
  queryClient.clear();
  const here = location.pathname.replace(/^\/dashboard/, "") + location.search;
  const next = here === "" || here === "/" || here.startsWith("/sign-") ? "" : `?next=${encodeURIComponent(here)}`;
  if (!here.startsWith("/sign-")) navigate(`/dashboard/sign-in${next}`);
}

function redirectOn401(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) redirectToSignIn();
}

/** A 4xx would be the same again, and a retry after 429 needs a pause that this client does not make. */
function mayRetryAtOnce(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.status === 0 ? navigator.onLine : error.status >= 500;
}
