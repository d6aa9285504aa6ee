/** Reads the page of links that the view names. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap, useApi } from "../../api/client.ts";
import { fillPage, type FilledPage } from "./fill-page.ts";
import { linksQuery, type LinksView } from "./links-view.ts";

export function useLinkPage({ filters, sort, size, position: { cursor } }: LinksView) {
  const { api, mode } = useApi();
  const [request, setRequest] = useState(1);
  // Beside an order by clicks the rows show what it is about.
  const include = sort === "-clicks" ? { include: "clicks" as const } : {};
  const query = { ...linksQuery({ filters, sort }), ...include };
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
