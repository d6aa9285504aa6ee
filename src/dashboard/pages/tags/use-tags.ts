/** The tags of the mode's links, page by page, in alphabetical order. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import type { TagPage } from "../../../core/contract/tags.ts";
import { unwrap, useApi } from "../../api/client.ts";

export type ListedTag = TagPage["data"][number];

const PAGE_TAGS = "100";

/** @param search  what the tags begin with; "" for all */
export function useTags(search: string) {
  const { api, mode } = useApi();
  return useInfiniteQuery({
    // Below the key of the lists of links, with which tags change.
    queryKey: [mode, "links", "tags", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_TAGS, ...(search ? { search } : {}), ...(pageParam ? { cursor: pageParam } : {}) };
      return unwrap<TagPage>(api.tags.$get({ query }, { init: { signal } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}
