/**
 * Whether this page belongs to the deployed release: compares the name of the script in the dashboard's page, which
 * changes with every change of the dashboard.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";

import { networkError } from "./api-error.ts";

const RELEASE_CHECK_INTERVAL_MS = 15 * 60_000;
const RELEASE_CHECK_PAUSE_MS = 60_000;

const releaseQuery = queryOptions({
  queryKey: ["release"],
  queryFn: async () => {
    const response = await fetch("/dashboard/", { cache: "no-cache" });
    const page = await response.text();
    if (!response.ok) throw networkError();
    return entryScript(new DOMParser().parseFromString(page, "text/html"));
  },
  retry: false,
  staleTime: RELEASE_CHECK_PAUSE_MS,
  refetchInterval: RELEASE_CHECK_INTERVAL_MS,
  refetchOnMount: "always",
});

/** `isReachable`: the server has just responded. */
export function useRelease(): { isOutdated: boolean; isReachable: boolean } {
  const { data, isSuccess, isFetching } = useQuery(releaseQuery);
  return {
    isOutdated: isSuccess && data !== "" && data !== entryScript(document),
    isReachable: isSuccess && !isFetching,
  };
}

/** The path of the page's own script; empty if there is none. */
function entryScript(page: Document): string {
  return page.querySelector('script[type="module"][src]')?.getAttribute("src") ?? "";
}
