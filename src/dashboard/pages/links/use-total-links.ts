/** The number of the mode's links, where it can be told without counting rows. */
import { useQuery } from "@tanstack/react-query";

import { apiClients, unwrap, useApi } from "../../api/client.ts";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";

/**
 * The account's count has the links of both modes, so those of the other mode are taken from it, if they fit on a page.
 * @returns null while it is not known, and where it cannot be told
 */
export function useTotalLinks(isWanted: boolean): number | null {
  const { mode } = useApi();
  const other = mode === "live" ? "test" : "live";
  const { data = null } = useQuery({
    // Below the key of the lists, so that it is read again with them.
    queryKey: [mode, "links", "total"],
    queryFn: async ({ signal }) => {
      const init = { signal };
      const [{ limits }, others] = await Promise.all([
        unwrap(apiClients[mode].me.$get({ query: {} }, { init })),
        unwrap(apiClients[other].links.$get({ query: { limit: String(PAGE_LINKS_MAX) } }, { init })),
      ]);
      return others.has_more ? null : limits.links.used - others.data.length;
    },
    enabled: isWanted,
  });
  return data;
}
