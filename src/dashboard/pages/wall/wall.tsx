/**
 * The live map of all links for a screen that people look at from afar: large numbers, no controls once nobody moves the
 * mouse. Runs for days: the stream reconnects, and the day begins anew at midnight.
 */
import { Button } from "@mantine/core";
import { useHotkeys, useIdle } from "@mantine/hooks";
import { useState } from "react";
import { Link as RouterLink, useLocation } from "wouter";

import { useSessionEnded } from "../../api/session.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { useMode } from "../../mode.tsx";
import { RequireAccount } from "../../shell/require-account.tsx";
import { liveTexts } from "../../texts/link.ts";
import { wallTexts as texts } from "../../texts/overview.ts";
import { useClickFeed } from "../link/live/use-click-feed.ts";
import { ClickLights } from "../link/stats/click-lights.ts";
import { useAccountSubject } from "../overview/use-account-subject.ts";
import { useArrivalTimes } from "./use-arrival-times.ts";
import { usePageTitle } from "./use-page-title.ts";
import { useToday } from "./use-today.ts";
import { useWakeLock } from "./use-wake-lock.ts";
import classes from "./wall.module.css";
import { LatestOnWall, TopLinks, WallFigures } from "./wall-figures.tsx";

const WorldMap = lazyPart(() => import("../link/stats/world-map.tsx"));

const CONTROLS_MS = 3_000;
const LIGHT_SIZE = 7;

export default function Wall() {
  const { mode } = useMode();
  return (
    <div className={classes.wall}>
      <RequireAccount>
        <LiveWall key={mode} />
      </RequireAccount>
    </div>
  );
}

function LiveWall() {
  const { mode } = useMode();
  const [, navigate] = useLocation();
  const isIdle = useIdle(CONTROLS_MS);
  const [lights] = useState(() => new ClickLights());
  const arrivals = useArrivalTimes();
  const subject = useAccountSubject();
  const feed = useClickFeed(null, false, (clicks) => {
    arrivals.add(clicks.map(({ occurredAt }) => Date.parse(occurredAt)));
    lights.show(clicks.map(({ country }) => country));
  });
  const today = useToday(subject, BROWSER_TIME_ZONE);
  const hasEnded = useSessionEnded();
  const leave = () => navigate("/");
  useHotkeys([
    ["Escape", leave],
    ["q", leave],
  ]);
  useWakeLock();
  usePageTitle(texts.title);
  return (
    <main className={classes.content} data-idle={isIdle}>
      <header className={classes.bar}>
        <h1 className={classes.title}>
          {texts.title}
          {mode === "test" && ` · ${texts.testMode}`}
        </h1>
        <span className={classes.state} data-state={feed.state} role="status">
          {hasEnded ? texts.signedOut : liveTexts.states[feed.state]}
        </span>
        <Controls leave={leave} hasEnded={hasEnded} />
      </header>
      <div className={classes.map}>
        <WorldMap buckets={today.countries} lights={lights} lightSize={LIGHT_SIZE} isPlain />
      </div>
      <WallFigures today={today} arrivals={arrivals.times} />
      <div className={classes.lists}>
        <TopLinks links={today.links} />
        <LatestOnWall clicks={feed.clicks ?? []} />
      </div>
    </main>
  );
}

function Controls({ leave, hasEnded }: { leave: () => void; hasEnded: boolean }) {
  const showFullScreen = () => void document.documentElement.requestFullscreen?.().catch(() => {});
  return (
    <div className={classes.controls}>
      {hasEnded && (
        <Button component={RouterLink} to="/sign-in?next=/wall" size="xs">
          {texts.signIn}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={showFullScreen}>
        {texts.fullScreen}
      </Button>
      <Button size="xs" variant="default" onClick={leave}>
        {texts.leave}
      </Button>
    </div>
  );
}
