/**
 * Fills one page of links. The API examines a bounded number of links per request, so its pages may be short or empty
 * even if more follow. They are joined until the page is full, in a bounded number of requests. Also which of its links
 * are selected.
 */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { DashboardLink } from "../../../core/contract/dashboard.ts";
import type { LinkPage } from "../../../core/contract/links.ts";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { linksQuery, type LinksView } from "./links-view.ts";

/** Each examines some thousands of links; after that, the user is asked whether to continue. */
export const PAGE_REQUESTS_MAX = 10;

/** Links that can be selected beyond a page. */
export const SELECTED_LINKS_MAX = PAGE_REQUESTS_MAX * PAGE_LINKS_MAX;

/**
 * @param readPage  requests at most `limit` links after a cursor
 * @param onRequest  called with the number of each request, from 1, before it is sent
 * @returns `next`: cursor to continue from; null at the end
 * @internal
 */
export async function fillPage<Found>(
  readPage: (cursor: string | null, limit: number) => Promise<Pick<LinkPage, "next_cursor"> & { data: Found[] }>,
  cursor: string | null,
  pageSize: number,
  onRequest: (request: number) => void,
) {
  const links: Found[] = [];
  let next = cursor;
  for (let request = 1; request <= PAGE_REQUESTS_MAX; request++) {
    onRequest(request);
    const page = await readPage(next, pageSize - links.length);
    links.push(...page.data);
    next = page.next_cursor;
    if (next === null || links.length >= pageSize) break;
  }
  return { links, next };
}

/** Fetches the page of links for the view. */
export function useLinkPage({ filters, sort, size, position: { cursor } }: LinksView) {
  const { api, mode } = useApi();
  const [request, setRequest] = useState(1);
  // Sorted by clicks, the rows show click counts instead of revisions: only one can be included.
  const include = sort === "-clicks" ? ("clicks" as const) : ("revision" as const);
  const query = { ...linksQuery({ filters, sort }), include };
  const read = (after: string | null, limit: number, signal: AbortSignal, more: { include?: "revision" } = {}) => {
    const sent = { ...query, ...more, limit: String(limit), ...(after ? { cursor: after } : {}) };
    return unwrap(api.links.$get({ query: sent }, { init: { signal } }));
  };
  const page = useQuery({
    queryKey: [mode, "links", query, size, cursor],
    queryFn: ({ signal }) =>
      fillPage<DashboardLink>((after, limit) => read(after, limit, signal), cursor, size, setRequest),
    placeholderData: keepPreviousData,
  });
  /** Read again with the list, so that changed links are changed from their newest revision. */
  const matches = queryOptions({
    queryKey: [mode, "links", query, "matches"],
    queryFn: ({ signal }) => {
      const readMatches = (after: string | null, limit: number) =>
        read(after, Math.min(limit, PAGE_LINKS_MAX), signal, { include: "revision" });
      return fillPage(readMatches, null, SELECTED_LINKS_MAX, () => {});
    },
  });
  return { page, request, matches };
}

/** `anchor`: the last link that was ticked or cleared, where a range begins. */
export const NOTHING_SELECTED = { ids: new Set() as ReadonlySet<string>, anchor: null as string | null };
export type Selection = typeof NOTHING_SELECTED;

export function toggleOne({ ids }: Selection, id: string): Selection {
  return { ids: withState(ids, [id], !ids.has(id)), anchor: id };
}

/** With Shift: all links between the anchor and this one get this one's new state. */
export function toggleRange(selection: Selection, page: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : page.indexOf(selection.anchor);
  const to = page.indexOf(id);
  if (from === -1 || to === -1) return toggleOne(selection, id);
  const range = page.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: withState(selection.ids, range, !selection.ids.has(id)), anchor: id };
}

/** Selects the page, or clears it if all of it is selected. */
export function togglePage({ ids }: Selection, page: readonly string[]): Selection {
  return { ids: withState(ids, page, !page.every((id) => ids.has(id))), anchor: null };
}

function withState(ids: ReadonlySet<string>, changed: readonly string[], isSelected: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changed) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  return next;
}
