/** Whose clicks are counted: those of a link, or of all links of the account and mode. */
import { useMemo } from "react";

import type { Grouping } from "../../../../core/clicks/counting/groupings.ts";
import type { AccountStats } from "../../../../core/contract/account-stats.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, unwrap } from "../../../api/client.ts";
import type { statsQueryOf } from "./stats-query.ts";

export type StatsSubject =
  | { kind: "link"; link: Link }
  /** `createdAt`: epoch ms. */
  | { kind: "account"; createdAt: number };

/** What both answers have; the account's also says how far it goes. */
export type ShownStats = Stats & Partial<Pick<AccountStats, "as_of" | "progress">>;

type StatsRequest = ReturnType<typeof statsQueryOf> & { include?: "uniques" };

/** There are no clicks before. Epoch ms. */
export function beginningOf(subject: StatsSubject): number {
  return subject.kind === "link" ? Date.parse(subject.link.created_at) : subject.createdAt;
}

/** Below `[mode, "stats"]` in the keys of queries. */
export function subjectKey(subject: StatsSubject): string {
  return subject.kind === "link" ? subject.link.id : "account";
}

/** For the names of files. */
export function subjectName(subject: StatsSubject): string {
  return subject.kind === "link" ? subject.link.slug : "all-links";
}

export function readStats(
  api: ApiClient,
  subject: StatsSubject,
  query: StatsRequest,
  signal: AbortSignal,
): Promise<ShownStats> {
  const options = { init: { signal } };
  if (subject.kind === "account") return unwrap<ShownStats>(api.stats.$get({ query }, options));
  // The page of a link offers no others.
  const groupBy = query.group_by as Grouping;
  return unwrap<Stats>(
    api.links[":id"].stats.$get({ param: { id: subject.link.id }, query: { ...query, group_by: groupBy } }, options),
  );
}

/** All links of the account, as what statistics are about. */
export function useAccountSubject(): StatsSubject {
  const createdAt = useAccount().data?.created_at;
  return useMemo(
    () => ({ kind: "account", createdAt: createdAt === undefined ? 0 : Date.parse(createdAt) }),
    [createdAt],
  );
}
