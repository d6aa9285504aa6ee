/** Statistics of all links of the mode. */
import { ACCOUNT_SCOPE } from "../link/stats/stats-params.ts";
import { StatsSections } from "../link/stats/stats-sections.tsx";
import { useStatsParams } from "../link/stats/use-stats-params.ts";
import { NothingCounted } from "./nothing-counted.tsx";
import { useAccountSubject } from "./use-account-subject.ts";

const CARDS = ["links", "sources", "devices", "campaigns"] as const;

export default function AccountStatistics() {
  const [params, change] = useStatsParams(ACCOUNT_SCOPE);
  const subject = useAccountSubject();
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
