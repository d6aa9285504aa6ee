/** Reads the page of links that the view names. */
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { fillPage, type FilledPage } from "./fill-page.ts";
import { linksQuery, type LinksView } from "./links-view.ts";
import { rowStatsQuery } from "./row-stats.ts";

export function useLinkPage({ filters, sort, size, position: { cursor } }: LinksView) {
  const { api, mode } = useApi();
  const [request, setRequest] = useState(1);
  const query = linksQuery({ filters, sort });
  const page = useQuery({
    queryKey: [mode, "links", query, size, cursor],
    queryFn: ({ signal }): Promise<FilledPage> =>
      fillPage(
        (after, limit) =>
          unwrap(
            api.links.$get(
              { query: { ...query, limit: String(limit), ...(after ? { cursor: after } : {}) } },
              { init: { signal } },
            ),
          ),
        cursor,
        size,
        setRequest,
      ),
    placeholderData: keepPreviousData,
  });
  return { page, request };
}

/** The links by their clicks, most first, once those of all of them are known; until then in the list's order. */
export function useClickOrder(
  links: readonly Link[],
  isWanted: boolean,
): { links: readonly Link[]; isReading: boolean } {
  const { mode } = useApi();
  const results = useQueries({ queries: isWanted ? links.map(({ id }) => rowStatsQuery(mode, id)) : [] });
  if (!isWanted) return { links, isReading: false };
  if (results.some(({ isPending }) => isPending)) return { links, isReading: true };
  const clicks = new Map(links.map(({ id }, index) => [id, results[index]?.data?.total ?? -1]));
  return { links: links.toSorted((a, b) => (clicks.get(b.id) ?? -1) - (clicks.get(a.id) ?? -1)), isReading: false };
}
