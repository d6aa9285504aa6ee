/** The statistics tab of a link, with the live feed. */
import { Code } from "@mantine/core";

import type { Link } from "../../../../core/contract/links.ts";
import { EmptyState } from "../../../components/states.tsx";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { acceptsVisits } from "../../links/use-first-steps.ts";
import { announceArrival } from "../hop.tsx";
import { NoClicksInRange } from "./stats-errors.tsx";
import { isAllTime } from "./time-range.ts";
import { StatsSections } from "./stats-sections.tsx";
import { type StatsView, useLinkSubject } from "./use-stats.ts";

const CARDS = ["sources", "devices", "campaigns", "routing"] as const;

export default function StatsPanel({ link }: { link: Link }) {
  const subject = useLinkSubject(link);
  const onNewClicks = () => announceArrival(link.id);
  return <StatsSections subject={subject} cards={CARDS} Empty={NothingCounted} onNewClicks={onNewClicks} />;
}

function NothingCounted({ view: { subject, params, change } }: { view: StatsView }) {
  const [beforeUrl, afterUrl] = texts.shareHint;
  const { link } = subject;
  if (!isAllTime(params.range)) return <NoClicksInRange change={change} />;
  if (link && !acceptsVisits(link, Date.now())) {
    return (
      <EmptyState icon={icon("chart-bar")} title={texts.noClicks}>
        {texts.notCounted}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={icon("chart-bar")} title={texts.noClicks} example={texts.exampleClick}>
      {beforeUrl}
      <Code>{link?.short_url}</Code>
      {afterUrl}
    </EmptyState>
  );
}
