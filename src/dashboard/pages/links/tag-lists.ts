/** Lists of tags, compared without regard to case, and the tags of the account's links. */
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { PAGE_TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { unwrap, useApi } from "../../api/client.ts";

/** A link's existing tags keep their spelling. */
export function addTags(tags: readonly string[], added: readonly string[]): string[] {
  return uniqueTags([...tags, ...added]);
}

export function removeTags(tags: readonly string[], removed: readonly string[]): string[] {
  const keys = new Set(removed.map(tagKey));
  return tags.filter((tag) => !keys.has(tagKey(tag)));
}

/** Each in its first spelling. */
export function uniqueTags(tags: readonly string[]): string[] {
  const seen = new Set<string>();
  return tags.filter((tag) => !seen.has(tagKey(tag)) && seen.add(tagKey(tag)));
}

const STALE_MS = 5 * 60_000;
const SEARCH_DELAY_MS = 200;

/**
 * Tags that begin with a text, first by name. Up to a page of tags is read once. The key extends that of the lists, so
 * that changes of links refresh it too, and differs from that of the page of tags, which has other data.
 */
export function useFoundTags(search: string): { found: string[]; isSearching: boolean } {
  const [typed] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const first = useTagPage("", true);
  const hasMore = first.data?.has_more ?? false;
  const later = useTagPage(typed, hasMore && typed !== "");
  const isSearching = hasMore && (typed !== search.trim() || later.isFetching);
  const pages = [first.data, typed === "" ? undefined : later.data];
  return { found: uniqueTags(pages.flatMap((page) => page?.data.map(({ tag }) => tag) ?? [])), isSearching };
}

function useTagPage(search: string, enabled: boolean) {
  const { api, mode } = useApi();
  return useQuery({
    // Not "tags", under which the page of tags keeps lists of pages.
    queryKey: [mode, "links", "tag-names", search],
    queryFn: ({ signal }) => {
      const query = { limit: String(PAGE_TAGS_MAX), ...(search === "" ? {} : { search }) };
      return unwrap(api.tags.$get({ query }, { init: { signal } }));
    },
    enabled,
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
  });
}
