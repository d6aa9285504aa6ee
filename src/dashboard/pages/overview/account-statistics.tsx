/** Statistics of all links of the mode. */
import { useMemo } from "react";

import { useAccount } from "../../api/account.ts";
import { ACCOUNT_SCOPE } from "../link/stats/stats-params.ts";
import { StatsSections } from "../link/stats/stats-sections.tsx";
import type { StatsSubject } from "../link/stats/stats-subject.ts";
import { useStatsParams } from "../link/stats/use-stats-params.ts";
import { NothingCounted } from "./nothing-counted.tsx";

const CARDS = ["links", "sources", "devices", "campaigns"] as const;

export default function AccountStatistics() {
  const [params, change] = useStatsParams(ACCOUNT_SCOPE);
  const createdAt = useAccount().data?.created_at;
  const subject = useMemo(
    (): StatsSubject => ({ kind: "account", createdAt: createdAt === undefined ? 0 : Date.parse(createdAt) }),
    [createdAt],
  );
  return (
    <StatsSections
      subject={subject}
      params={params}
      change={change}
      cards={CARDS}
      empty={<NothingCounted range={params.range} change={change} />}
    />
  );
}
