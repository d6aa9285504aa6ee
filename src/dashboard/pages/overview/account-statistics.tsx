/** Statistics of all links of the mode. */
import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { unwrap, useApi } from "../../api/client.ts";
import { EmptyState } from "../../components/states.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { NoClicksInRange } from "../link/stats/stats-errors.tsx";
import { StatsSections } from "../link/stats/stats-sections.tsx";
import { isAllTime } from "../link/stats/time-range.ts";
import { type StatsView, useAccountSubject } from "../link/stats/use-stats.ts";
import { acceptsVisits } from "../links/use-first-steps.ts";

/** The newest links, of which an open one is the example. */
const EXAMPLES_MAX = "20";
const CARDS = ["links", "sources", "devices", "campaigns"] as const;

export default function AccountStatistics() {
  return <StatsSections subject={useAccountSubject()} cards={CARDS} Empty={NothingCounted} />;
}

/** Replaces the account's statistics if no click was counted: what to do first. */
function NothingCounted({ view: { params, change } }: { view: StatsView }) {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "links", "any"],
    queryFn: ({ signal }) =>
      unwrap(api.links.$get({ query: { limit: EXAMPLES_MAX, archived: "any" } }, { init: { signal } })),
  });
  if (!data) return null;
  if (data.data.length === 0) {
    return (
      <EmptyState
        icon={icon("link")}
        title={texts.noLinks[mode]}
        example={texts.example}
        action={texts.createFirst}
        to="/links?dialog=link"
      >
        {texts.noLinksHint}
      </EmptyState>
    );
  }
  if (!isAllTime(params.range)) return <NoClicksInRange change={change} />;
  const example = data.data.find((link) => acceptsVisits(link, Date.now()));
  return (
    <EmptyState
      icon={icon("chart-bar")}
      title={texts.noClicks}
      example={
        example && (
          <Anchor fz="inherit" href={example.short_url} target="_blank" rel="noreferrer">
            {linkName(example)}
          </Anchor>
        )
      }
      action={texts.toLinks}
      to="/links"
    >
      {texts.noClicksHint}
    </EmptyState>
  );
}
