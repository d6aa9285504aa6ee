/** Lists of tags, compared without regard to case, and the tags of the account's links. */
import { useQuery } from "@tanstack/react-query";

import type { TagPage } from "../../../core/contract/tags.ts";
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
/** With more, a menu would not help. */
const PAGES_MAX = 5;

/** The first by name. Its key extends that of the lists, so that changes of links refresh it too. */
export function useKnownTags(): string[] {
  const { api, mode } = useApi();
  const { data = [] } = useQuery({
    queryKey: [mode, "links", "tags"],
    queryFn: async ({ signal }) => {
      const tags: string[] = [];
      let cursor: string | null = null;
      for (let request = 0; request < PAGES_MAX; request++) {
        const query = { limit: String(PAGE_TAGS_MAX), ...(cursor === null ? {} : { cursor }) };
        const page: TagPage = await unwrap<TagPage>(api.tags.$get({ query }, { init: { signal } }));
        tags.push(...page.data.map(({ tag }) => tag));
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      return tags;
    },
    staleTime: STALE_MS,
  });
  return data;
}
