/** Statistics of all links of the mode. */
import { useQuery } from "@tanstack/react-query";

import { unwrap, useApi } from "../../api/client.ts";
import { EmptyState } from "../../components/states.tsx";
import { icon } from "../../icons.tsx";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { NoClicksInRange } from "../link/stats/no-matches.tsx";
import { ACCOUNT_SCOPE, type ChangeStatsParams, useStatsParams } from "../link/stats/stats-params.ts";
import { StatsSections } from "../link/stats/stats-sections.tsx";
import { isAllTime, type TimeRange } from "../link/stats/time-range.ts";
import { useAccountSubject } from "../link/stats/stats-subject.ts";

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

/** In place of the account's statistics where no click was counted: what to do first. */
function NothingCounted({ range, change }: { range: TimeRange; change: ChangeStatsParams }) {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "links", "any"],
    queryFn: ({ signal }) => unwrap(api.links.$get({ query: { limit: "1" } }, { init: { signal } })),
  });
  if (!data) return null;
  if (data.data.length === 0) {
    return (
      <EmptyState icon={icon("link")} title={texts.noLinks[mode]} action={texts.createFirst} to="/links?dialog=link">
        {texts.noLinksHint}
      </EmptyState>
    );
  }
  if (!isAllTime(range)) return <NoClicksInRange change={change} />;
  return (
    <EmptyState icon={icon("chart-bar")} title={texts.noClicks} action={texts.toLinks} to="/links">
      {texts.noClicksHint}
    </EmptyState>
  );
}
