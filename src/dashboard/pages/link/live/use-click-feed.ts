/** The live feed as a page holds it: the latest clicks, and how they come. */
import { useCallback, useEffect, useRef, useState } from "react";

import { useApi } from "../../../api/client.ts";
import { type FeedClick, withClicks } from "./feed.ts";
import { type FeedState, followClicks } from "./follow-clicks.ts";

export interface ClickFeed {
  state: FeedState;
  clicks: FeedClick[];
  /** Clicks that came while paused and are not on show. */
  waiting: number;
  hasGap: boolean;
  isPaused: boolean;
  setPaused: (paused: boolean) => void;
}

/** @param onMove  told whenever somebody clicked, also while the list is paused */
export function useClickFeed(linkId: string, includeBots: boolean, onMove: () => void): ClickFeed {
  const { api, mode } = useApi();
  const [state, setState] = useState<FeedState>("connecting");
  const [clicks, setClicks] = useState<FeedClick[]>([]);
  const [shown, setShown] = useState<FeedClick[] | null>(null);
  const [waiting, setWaiting] = useState(0);
  const [hasGap, setGap] = useState(false);
  const moved = useRef(onMove);
  useEffect(() => {
    moved.current = onMove;
  }, [onMove]);

  useEffect(() => {
    const end = new AbortController();
    setClicks([]);
    const listener = {
      onState: (next: FeedState) => {
        if (!end.signal.aborted) setState(next);
      },
      onGap: () => setGap(true),
      onClicks: (newer: FeedClick[], backlog: boolean) => {
        if (end.signal.aborted) return;
        setClicks((feed) => withClicks(feed, newer));
        if (backlog) return;
        setWaiting((count) => count + newer.length);
        moved.current();
      },
    };
    void followClicks({ api, mode, linkId, includeBots }, listener, end.signal);
    return () => end.abort();
  }, [api, mode, linkId, includeBots]);

  const setPaused = useCallback(
    (paused: boolean) => {
      setWaiting(0);
      setShown(paused ? clicks : null);
    },
    [clicks],
  );
  const isPaused = shown !== null;
  return { state, clicks: shown ?? clicks, waiting: isPaused ? waiting : 0, hasGap, isPaused, setPaused };
}
