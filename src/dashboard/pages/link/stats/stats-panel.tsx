/** The statistics tab of a link, with the live feed. */
import { Code } from "@mantine/core";
import { useMemo } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import { EmptyState } from "../../../components/states.tsx";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { announceArrival } from "../hop.tsx";
import { NoClicksInRange } from "./no-matches.tsx";
import { isAllTime } from "./time-range.ts";
import { StatsSections } from "./stats-sections.tsx";
import { linkSubject } from "./stats-subject.ts";
import { useStatsParams } from "./stats-params.ts";

const CARDS = ["sources", "devices", "campaigns", "routing"] as const;

export default function StatsPanel({ link }: { link: Link }) {
  const [params, change] = useStatsParams();
  const subject = useMemo(() => linkSubject(link), [link]);
  return (
    <StatsSections
      subject={subject}
      params={params}
      change={change}
      cards={CARDS}
      empty={isAllTime(params.range) ? <NoClicks link={link} /> : <NoClicksInRange change={change} />}
      onNewClicks={() => announceArrival(link.id)}
    />
  );
}

function NoClicks({ link }: { link: Link }) {
  const [beforeUrl, afterUrl] = texts.shareHint;
  return (
    <EmptyState icon={icon("chart-bar")} title={texts.noClicks}>
      {beforeUrl}
      <Code>{link.short_url}</Code>
      {afterUrl}
    </EmptyState>
  );
}
