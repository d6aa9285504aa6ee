/** The first page: statistics of all links of the mode, with the live feed. */
import { Skeleton } from "@mantine/core";
import { useDeferredValue } from "react";
import { Link as RouterLink, useLocation } from "wouter";

import { lazyPart } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { AddButton, PlainButton } from "../../components/buttons.tsx";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { FirstStepsCard } from "../links/first-steps.tsx";
import { MissingParts } from "../operator/missing-parts.tsx";

const SKELETON = <Skeleton height={320} />;
const AccountStatistics = lazyPart(() => import("./account-statistics.tsx"), SKELETON, "account-statistics");
const CREATE_PATH = "/links?dialog=link";

export default function Overview() {
  const { mode } = useMode();
  const [, navigate] = useLocation();
  // Paints the heading before the statistics, which take longer to render.
  const showsStatistics = useDeferredValue(true, false);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <PlainButton component={RouterLink} to="/wall" leftSection={icon("device-tv", 18)}>
            {texts.wall}
          </PlainButton>
          <AddButton component={RouterLink} to={CREATE_PATH}>
            {texts.createLink}
          </AddButton>
        </>
      }
    >
      <MissingParts />
      <FirstStepsCard onCreate={() => navigate(CREATE_PATH)} />
      {/* Keyed, so that no number of the other mode is shown while this mode's are loading. */}
      {showsStatistics ? <AccountStatistics key={mode} /> : SKELETON}
    </Page>
  );
}
