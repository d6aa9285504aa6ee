/**
 * Fills one page of links. The API examines a bounded number of links per request, so its pages may be short or empty
 * even if more follow. They are joined until the page is full, in a bounded number of requests.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Link, LinkPage } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { linksQuery, type LinksView } from "./links-view.ts";

/** Each examines some thousands of links; after that, the user is asked whether to continue. */
export const PAGE_REQUESTS_MAX = 10;

interface FilledPage {
  links: Link[];
  /** Cursor to continue from; null at the end. */
  next: string | null;
}

/**
 * @param readPage  requests at most `limit` links after a cursor
 * @param onRequest  called with the number of each request, from 1, before it is sent
 * @internal
 */
export async function fillPage(
  readPage: (cursor: string | null, limit: number) => Promise<LinkPage>,
  cursor: string | null,
  pageSize: number,
  onRequest: (request: number) => void,
): Promise<FilledPage> {
  const links: Link[] = [];
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
  const read = (after: string | null, limit: number, signal: AbortSignal) => {
    const sent = { ...query, limit: String(limit), ...(after ? { cursor: after } : {}) };
    return unwrap(api.links.$get({ query: sent }, { init: { signal } }));
  };
  const page = useQuery({
    queryKey: [mode, "links", query, size, cursor],
    queryFn: ({ signal }): Promise<FilledPage> =>
      fillPage((after, limit) => read(after, limit, signal), cursor, size, setRequest),
    placeholderData: keepPreviousData,
  });
  return { page, request };
}
