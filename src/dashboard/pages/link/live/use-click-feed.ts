/** State of the live feed: the latest clicks, the connection, and pausing. */
import { useEffect, useEffectEvent, useState } from "react";

import { useApi } from "../../../api/client.ts";
import { type FeedClick, isTooFast, mergeClicks, recentArrivals } from "./feed-clicks.ts";
import { type FeedState, followClicks } from "./follow-clicks.ts";

/**
 * @param linkId  null for all links
 * @param onNewClicks  called for new clicks, even while the list is paused
 */
export function useClickFeed(
  linkId: string | null,
  includeBots: boolean,
  onNewClicks: (clicks: readonly FeedClick[]) => void,
) {
  const { api, mode } = useApi();
  const [state, setState] = useState<FeedState>("connecting");
  const [clicks, setClicks] = useState<FeedClick[] | null>(null);
  const [arrivals, setArrivals] = useState<number[]>([]);
  const [pausedClicks, setPausedClicks] = useState<FeedClick[] | null>(null);
  const [newWhilePaused, setNewWhilePaused] = useState(0);
  const [hasGap, setGap] = useState(false);
  const notify = useEffectEvent(onNewClicks);

  useEffect(() => {
    const controller = new AbortController();
    setClicks(null);
    setArrivals([]);
    const listener = {
      onStateChange: (next: FeedState) => {
        if (!controller.signal.aborted) setState(next);
      },
      onGap: () => setGap(true),
      onClicks: (newer: FeedClick[], backlog: boolean) => {
        if (controller.signal.aborted) return;
        setClicks((feed) => mergeClicks(feed ?? [], newer));
        if (backlog) return;
        setArrivals((earlier) => recentArrivals(earlier, newer.length, Date.now()));
        setNewWhilePaused((count) => count + newer.length);
        notify(newer);
      },
    };
    void followClicks({ api, mode, linkId, includeBots }, listener, controller.signal);
    return () => controller.abort();
  }, [api, mode, linkId, includeBots]);

  const setPaused = (paused: boolean) => {
    setNewWhilePaused(0);
    setPausedClicks(paused ? (clicks ?? []) : null);
  };
  const isPaused = pausedClicks !== null;
  return {
    state,
    /** Null until the earlier clicks are read. */
    clicks: pausedClicks ?? clicks,
    /** Clicks come too fast for rows to fade in. */
    isFast: isTooFast(arrivals),
    /** Number of hidden clicks since the list was paused. */
    newWhilePaused: isPaused ? newWhilePaused : 0,
    hasGap,
    isPaused,
    setPaused,
  };
}

export type ClickFeed = ReturnType<typeof useClickFeed>;

/**
 * What shows the countries of new clicks: a map lights them up. They do not pass through the components in between, which
 * would be rendered.
 */
export type ClickLights = Set<(countries: readonly string[]) => void>;
