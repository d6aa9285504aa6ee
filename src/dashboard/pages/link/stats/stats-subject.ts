/** Whose clicks are counted: those of a link, or of all links of the account and mode. */
import { useMemo } from "react";

import type { Grouping } from "../../../../core/clicks/counting/groupings.ts";
import type { AccountStats, Stats } from "../../../../core/contract/stats.ts";
import type { Link } from "../../../../core/contract/links.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, unwrap } from "../../../api/client.ts";
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

export function linkSubject(link: Link): StatsSubject {
  return { link, key: link.id, name: link.slug, beginsAt: Date.parse(link.created_at) };
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
