/** Whose clicks are counted: those of a link, or of all links of the account and mode. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Grouping } from "../../../../core/clicks/counting/groupings.ts";
import type { AccountStats, Stats } from "../../../../core/contract/stats.ts";
import type { Link } from "../../../../core/contract/links.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, unwrap, useApi } from "../../../api/client.ts";
import type { statsQueryOf } from "./stats-query.ts";

export interface StatsSubject {
  /** Null for all links. */
  link: Link | null;
  /** Follows `[mode, "stats"]` in query keys. */
  key: string;
  /** Used in file names. */
  name: string;
  /** No clicks are older. Epoch ms. */
  beginsAt: number;
}

/** Imported clicks may be older than the link. */
export function useLinkSubject(link: Link): StatsSubject {
  const { api, mode } = useApi();
  const { id, slug, created_at } = link;
  const query = { group_by: "source" as const, to: created_at };
  const { data } = useQuery({
    queryKey: [mode, "first-click", id],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query })),
    staleTime: Infinity,
  });
  const beginsAt = Date.parse(data?.from ?? created_at);
  return useMemo(() => ({ link, key: id, name: slug, beginsAt }), [link, id, slug, beginsAt]);
}

/** Common to both responses; the account's also says how far it extends. */
export type ShownStats = Stats & Partial<Pick<AccountStats, "as_of" | "progress">>;

type StatsRequest = ReturnType<typeof statsQueryOf> & { include?: "uniques" };

export function readStats(
  api: ApiClient,
  subject: StatsSubject,
  query: StatsRequest,
  signal: AbortSignal,
): Promise<ShownStats> {
  const options = { init: { signal } };
  if (!subject.link) return unwrap<ShownStats>(api.stats.$get({ query }, options));
  // The page of a link offers no others.
  const groupBy = query.group_by as Grouping;
  return unwrap<Stats>(
    api.links[":id"].stats.$get({ param: { id: subject.link.id }, query: { ...query, group_by: groupBy } }, options),
  );
}

/** All links of the account, as the subject of statistics. */
export function useAccountSubject(): StatsSubject {
  const createdAt = useAccount().data?.created_at;
  return useMemo(
    () => ({ link: null, key: "account", name: "all-links", beginsAt: createdAt ? Date.parse(createdAt) : 0 }),
    [createdAt],
  );
}
