/** The first page: statistics of all links of the mode, with the live feed. */
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link as RouterLink, useLocation } from "wouter";

import { useAccount } from "../../api/account.ts";
import { Page } from "../../components/page.tsx";
import { useMode } from "../../mode.tsx";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { FirstStepsCard } from "../links/first-steps.tsx";
import { ACCOUNT_SCOPE } from "../link/stats/stats-params.ts";
import { StatsSections } from "../link/stats/stats-sections.tsx";
import type { StatsSubject } from "../link/stats/stats-subject.ts";
import { useStatsParams } from "../link/stats/use-stats-params.ts";
import { NothingCounted } from "./nothing-counted.tsx";

const CARDS = ["links", "sources", "devices", "campaigns"] as const;
const CREATE_PATH = "/links?dialog=link";

export default function Overview() {
  const { mode } = useMode();
  const [, navigate] = useLocation();
  return (
    <Page
      title={texts.title}
      actions={
        <Button component={RouterLink} to={CREATE_PATH} leftSection={<IconPlus size={18} aria-hidden />}>
          {texts.createLink}
        </Button>
      }
    >
      <FirstStepsCard onCreate={() => navigate(CREATE_PATH)} />
      {/* Keyed, so that no number of the other mode is shown while this one's are loaded. */}
      <AccountStatistics key={mode} />
    </Page>
  );
}

function AccountStatistics() {
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
