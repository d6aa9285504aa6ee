/** The versions of a link, newest first, page by page, with their clicks and authors. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";

import type { Mode } from "../../../../core/account.ts";
import type { LinkRevision, LinkRevisionPage } from "../../../../core/contract/link-revisions.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { keysQuery } from "../../../api/account.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { withParams } from "../../../formatting/search-params.ts";
import { historyTexts as texts } from "../../../texts/history.ts";
import { useLinkBuckets } from "../use-link.ts";

const PAGE_REVISIONS = 20;

export function revisionsKey(mode: Mode, linkId: string) {
  return [mode, "revisions", linkId] as const;
}

/** @param linkId  null for none */
export function useRevisions(linkId: string | null) {
  const { api, mode } = useApi();
  return useInfiniteQuery({
    queryKey: revisionsKey(mode, linkId ?? ""),
    enabled: linkId !== null,
    queryFn: ({ pageParam: cursor }) => {
      const { revisions } = api.links[":id"];
      const query = { limit: PAGE_REVISIONS, cursor };
      return unwrap<LinkRevisionPage>(revisions.$get({ param: { id: linkId ?? "" }, query }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}

type ClicksOf = (revision: LinkRevision, before: LinkRevision | undefined) => number | null;

/** The list is complete without them, so errors are not shown. */
export function useRevisionClicks(linkId: string): ClicksOf {
  const buckets = useLinkBuckets(linkId, "revision");
  return buckets ? (revision, before) => clicksOfRevision(buckets, revision, before) : () => null;
}

/** The author of a change, in words that follow its time. Keys appear under their current names. */
export function useAuthorName(): (changedBy: LinkRevision["changed_by"]) => string {
  const { data } = useQuery(keysQuery);
  return (changedBy) => {
    if (changedBy === null) return texts.unknownAuthor;
    if (changedBy.type !== "key") return texts.authors[changedBy.type];
    const key = data?.data.find(({ id }) => id === changedBy.key_id);
    return key ? texts.withKey(key.name) : data ? texts.withRevokedKey : texts.withKey("…");
  };
}

/**
 * Clicks of a version: those counted under its number, and under the numbers since the previous version, which had the
 * same content.
 * @param before  the previous version; undefined for the first
 * @internal
 */
export function clicksOfRevision(
  buckets: Stats["buckets"],
  { revision }: Pick<LinkRevision, "revision">,
  before: Pick<LinkRevision, "revision"> | undefined,
): number {
  const first = (before?.revision ?? 0) + 1;
  return buckets.reduce((sum, { key, clicks }) => {
    const number = Number(key);
    return number >= first && number <= revision ? sum + clicks : sum;
  }, 0);
}

/** The compared versions, in the query of the page's address, so that reload, Back and a copied address show them. */
export function useHistoryParams() {
  const [search, setSearch] = useSearchParams();
  return {
    /** The open version; null if there is none. */
    version: search.get("version"),
    /** The version it is compared with; null for the previous one. */
    against: search.get("against"),
    change: (version: string | null, against: string | null) =>
      setSearch((current) => withParams(current, { version, against })),
  };
}

export type HistoryView = ReturnType<typeof useHistoryParams>;
