/** Tags that the account's newest links have, for suggestions. */
import { useQuery } from "@tanstack/react-query";

import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { uniqueTags } from "./tag-lists.ts";

const STALE_MS = 5 * 60_000;

/** By name. The key lies below that of the lists, so that a change of links refreshes it too. */
export function useKnownTags(): string[] {
  const { api, mode } = useApi();
  const { data = [] } = useQuery({
    queryKey: [mode, "links", "tags"],
    queryFn: async ({ signal }) => {
      const page = await unwrap(api.links.$get({ query: { limit: String(PAGE_LINKS_MAX) } }, { init: { signal } }));
      return uniqueTags(page.data.flatMap(({ tags = [] }) => tags)).sort((a, b) => a.localeCompare(b));
    },
    staleTime: STALE_MS,
  });
  return data;
}
