/**
 * The live map of all links for a screen that people look at from afar: large numbers, no controls once nobody moves the
 * mouse. Runs for days: the stream reconnects, and the day begins anew at midnight.
 */
import { Button } from "@mantine/core";
import { useHotkeys, useIdle } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Link as RouterLink, useLocation } from "wouter";

import { useSessionEnded } from "../../api/session.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { SmallButton } from "../../components/buttons.tsx";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { useMode } from "../../mode.ts";
import { RequireAccount } from "../../shell/require-account.tsx";
import { liveTexts } from "../../texts/link.ts";
import { wallTexts as texts } from "../../texts/overview.ts";
import { useClickFeed } from "../link/live/use-click-feed.ts";
import { ClickLights } from "../link/stats/click-lights.ts";
import { useAccountSubject } from "../link/stats/stats-subject.ts";
import { useArrivalTimes, useToday } from "./wall-counts.ts";
import { LatestOnWall, TopLinks, WallFigures } from "./wall-figures.tsx";
import classes from "./wall.module.css";

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
  useEffect(() => {
    document.title = `${texts.title} · Hoplink`;
  }, []);
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
      <SmallButton onClick={showFullScreen}>{texts.fullScreen}</SmallButton>
      <SmallButton onClick={leave}>{texts.leave}</SmallButton>
    </div>
  );
}

/** Keeps the screen on while the page is visible, where the browser can. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    // The browser takes the lock back whenever the page is hidden.
    const request = async () => {
      if (document.hidden || !("wakeLock" in navigator)) return;
      // Refused where the battery is low: the page works without.
      const granted = await navigator.wakeLock.request("screen").catch(() => null);
      if (isLeft) await granted?.release();
      else lock = granted;
    };
    void request();
    document.addEventListener("visibilitychange", request);
    return () => {
      isLeft = true;
      document.removeEventListener("visibilitychange", request);
      void lock?.release();
    };
  }, []);
}
