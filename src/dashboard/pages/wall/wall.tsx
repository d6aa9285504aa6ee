/**
 * The live map of all links for a screen that people view from afar: large numbers, and controls only while the mouse
 * moves. Runs for days: the stream reconnects, and the day restarts at midnight.
 */
import { Button } from "@mantine/core";
import { useHotkeys, useIdle } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Link as RouterLink, useLocation } from "wouter";

import { MINUTE_MS } from "../../../core/time.ts";
import { useSignInReason } from "../../api/client.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { lazyPart } from "../../components/lazy-part.tsx";
import { browserTimeZone, formatIn } from "../../formatting/dates.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { useMode } from "../../mode.ts";
import { RequireAccount } from "../../components/states.tsx";
import { liveTexts } from "../../texts/link.ts";
import { wallTexts as texts } from "../../texts/overview.ts";
import type { FeedClick } from "../link/live/feed-clicks.ts";
import { type ClickLights, useClickFeed } from "../link/live/follow-clicks.ts";
import { bucketName } from "../link/stats/bucket-names.ts";
import { useNamedLink } from "../link/stats/link-names.ts";
import { useAccountSubject } from "../link/stats/use-stats.ts";
import { addArrivals, arrivalsIn, type Today, useToday } from "./wall-counts.ts";
import classes from "./wall.module.css";

const WorldMap = lazyPart(() => import("../link/stats/world-map.tsx"));

const CONTROLS_MS = 3_000;

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
  const [lights] = useState<ClickLights>(() => new Set());
  const [arrivals, setArrivals] = useState<readonly number[]>([]);
  const subject = useAccountSubject();
  const feed = useClickFeed(null, false, (clicks) => {
    const times = clicks.map(({ occurred_at }) => Date.parse(occurred_at));
    setArrivals((before) => addArrivals(before, times, Date.now()));
    const countries = clicks.map(({ country }) => country);
    for (const show of lights) show(countries);
  });
  const today = useToday(subject, browserTimeZone());
  const hasEnded = useSignInReason() === "ended";
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
        <WorldMap buckets={today.countries} lights={lights} isOnWall />
      </div>
      <WallFigures today={today} arrivals={arrivals} />
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

/** Keeps the screen on while the page is visible, if the browser can. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    // The browser revokes the lock whenever the page is hidden.
    const request = async () => {
      if (document.hidden || !("wakeLock" in navigator)) return;
      // Refused if the battery is low: the page works without it.
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

/** Shown beside the map of the wall screen: totals of the day, most clicked links, the latest clicks. */

const LATEST_MAX = 5;

interface WallFiguresProps {
  today: Today;
  /** Times of the stream's clicks, epoch ms. */
  arrivals: readonly number[];
}

function WallFigures({ today, arrivals }: WallFiguresProps) {
  const { total, countedUpTo, visitors, now } = today;
  const figures = [
    [texts.today, total === null ? null : total + arrivalsIn(arrivals, countedUpTo, Infinity), "wall-today"],
    [texts.lastMinute, arrivalsIn(arrivals, now - MINUTE_MS, Infinity), "wall-minute"],
    [texts.visitors, visitors, "wall-visitors"],
  ] as const;
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value, testId]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-testid={testId}>{value === null ? "–" : formatCount(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function TopLinks({ links }: { links: Today["links"] }) {
  if (links.length === 0) return null;
  return (
    <section>
      <h2>{texts.topLinks}</h2>
      <ol className={classes.list}>
        {links.map((bucket) => (
          <TopLink key={bucket.key} bucket={bucket} />
        ))}
      </ol>
    </section>
  );
}

function TopLink({ bucket }: { bucket: Today["links"][number] }) {
  const { name } = useNamedLink(bucket.key, bucket.name);
  return (
    <li>
      <span className={classes.name}>{name}</span>
      <span>{formatCount(bucket.clicks)}</span>
    </li>
  );
}

function LatestOnWall({ clicks }: { clicks: readonly FeedClick[] }) {
  return (
    <section>
      <h2>{texts.latest}</h2>
      {clicks.length === 0 && <p className={classes.hint}>{texts.noneYet}</p>}
      <ol className={classes.list}>
        {clicks.slice(0, LATEST_MAX).map((click) => (
          <li key={click.id}>
            <span className={classes.name}>
              {bucketName("country", click.country)}
              {click.link && ` → ${click.link.name}`}
            </span>
            <time dateTime={click.occurred_at}>{formatIn("time", click.occurred_at)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
