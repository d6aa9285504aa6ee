/**
 * Follows the clicks of a link, or of all links, over the live stream until it is aborted. If the stream refuses, polls
 * the link's click log for a while, or waits.
 */
import { type EventSourceMessage, createParser } from "eventsource-parser";
import { useEffect, useEffectEvent, useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import { MINUTE_MS } from "../../../../core/time.ts";
import { ApiError, networkError, okResponse } from "../../../api/api-error.ts";
import { type ApiClient, unwrap, useApi } from "../../../api/client.ts";
import { sleep, waitUntilVisible } from "../../../api/waits.ts";
import { readLatestClicks } from "../stats/use-stats.ts";
import {
  type FeedClick,
  feedClickFromAccountLog,
  feedClickFromEvent,
  feedClickFromLog,
  isTooFast,
  mergeClicks,
  recentArrivals,
} from "./feed-clicks.ts";

/**
 * `fallback`: the stream has no free slot, or refuses for another reason, so the click log is polled. `waiting`: the
 * same for all links, whose common log is up to a minute old.
 */
export type FeedState = "connecting" | "live" | "fallback" | "waiting" | "reconnecting";

interface FeedSource {
  api: ApiClient;
  mode: Mode;
  /** Null for all links of the account and mode. */
  linkId: string | null;
  includeBots: boolean;
}

interface FeedListener {
  onStateChange: (state: FeedState) => void;
  /** Called with clicks in chronological order; `backlog`: those from before the feed was opened. */
  onClicks: (clicks: FeedClick[], backlog: boolean) => void;
  /** The stream skipped clicks that its log no longer had. */
  onGap: () => void;
}

const POLL_INTERVAL_MS = 4_000;
/** Number of polls between two attempts to open a refused stream. */
const FALLBACK_POLLS = 4;
const BACKLOG_MAX_CLICKS = 25;
const EARLIER_INTERVAL_MS = 15_000;
/** Past clicks are read for the first time in minutes. */
const EARLIER_READS_MAX = 20;
const RECONNECT_MIN_MS = 2_000;
const RECONNECT_MAX_MS = 30_000;
/**
 * After a longer break, such as a night in which the computer slept, the feed starts over: a link's stream would send
 * every click since.
 */
const RESUMED_MAX_MS = 5 * MINUTE_MS;

/** Returns once the signal aborts. */
async function followClicks(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const { linkId } = source;
  listener.onStateChange("connecting");
  if (linkId === null) void readEarlierClicks(source, listener, signal);
  while (!signal.aborted) {
    await followStream(source, listener, signal);
    if (linkId !== null) await pollLog(source, linkId, listener, signal);
    else {
      listener.onStateChange("waiting");
      await pause(FALLBACK_POLLS * POLL_INTERVAL_MS, signal);
    }
  }
}

/** A hidden page does not poll. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal);
  await waitUntilVisible(signal);
}

/**
 * Delivers the latest clicks on all links from their log. It is up to a minute old, so it is read again until it
 * includes the clicks from before the stream was opened.
 */
async function readEarlierClicks(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const openedAt = Date.now();
  for (let reads = 0; reads < EARLIER_READS_MAX && !signal.aborted; reads++) {
    try {
      const { data, as_of } = await unwrap(source.api.clicks.latest.$get({ query: {} }, { init: { signal } }));
      listener.onClicks(shownOf(data, source).slice(-BACKLOG_MAX_CLICKS).map(feedClickFromAccountLog), true);
      if (Date.parse(as_of) >= openedAt) return;
    } catch {
      // The card stops loading, and shows the stream's clicks.
      listener.onClicks([], true);
    }
    await pause(EARLIER_INTERVAL_MS, signal);
  }
}

/** Returns if the stream is refused. */
async function followStream(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  let lastEventId: string | null = null;
  let heardAt = Date.now();
  let failures = 0;
  let needsBacklog = source.linkId !== null;
  const onEvent = ({ id, event, data }: EventSourceMessage) => {
    if (id) lastEventId = id;
    failures = 0;
    if (event === "gap") listener.onGap();
    const click = event === "click" ? feedClickFromEvent(data) : null;
    if (click) listener.onClicks([click], false);
  };
  const onHeard = () => (heardAt = Date.now());
  while (!signal.aborted) {
    const startsOver = Date.now() - heardAt > RESUMED_MAX_MS;
    try {
      const stream = await openClickStream(source, startsOver ? null : lastEventId, signal);
      listener.onStateChange("live");
      // Read once the stream is open, so that no click falls between the two. A click in both is shown once.
      if (needsBacklog || startsOver) void readBacklog(source, listener, signal);
      needsBacklog = false;
      await readEvents(stream, onEvent, onHeard, signal);
    } catch (error) {
      // After a 4xx, reconnecting would not help, e.g. if all slots are taken.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
    }
    if (signal.aborted) break;
    listener.onStateChange("reconnecting");
    await sleep(Math.min(RECONNECT_MIN_MS * 2 ** failures++, RECONNECT_MAX_MS), signal);
  }
}

async function readBacklog(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const { api, linkId } = source;
  if (linkId === null) return readEarlierClicks(source, listener, signal);
  // Without a backlog, the stream's clicks are still shown.
  const { data } = await readLatestClicks(api, linkId, BACKLOG_MAX_CLICKS).catch(() => ({ data: [] }));
  listener.onClicks(feedClicks(data, linkId, source), true);
}

async function pollLog(source: FeedSource, id: string, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const { clicks: log } = source.api.links[":id"];
  let after: number | null = null;
  let isBacklog = true;
  for (let polls = 0; polls < FALLBACK_POLLS && !signal.aborted; polls++) {
    try {
      const page: ClickPage =
        after === null
          ? await readLatestClicks(source.api, id, BACKLOG_MAX_CLICKS)
          : await unwrap<ClickPage>(log.$get({ param: { id }, query: { after } }));
      const clicks = feedClicks(page.data, id, source);
      listener.onStateChange("fallback");
      if (isBacklog || clicks.length > 0) listener.onClicks(clicks, isBacklog);
      isBacklog = false;
      // More than a page behind: skips to the latest clicks.
      after = page.has_more ? null : page.next_after;
    } catch {
      listener.onStateChange("reconnecting");
    }
    await pause(POLL_INTERVAL_MS, signal);
  }
}

function feedClicks(clicks: readonly Click[], linkId: string, source: FeedSource): FeedClick[] {
  return shownOf(clicks, source).map((click) => feedClickFromLog(linkId, click));
}

function shownOf<C extends Click>(clicks: readonly C[], { includeBots }: FeedSource): C[] {
  return clicks.filter((click) => includeBots || click.class === "human");
}

/**
 * Opens and parses the live stream. Uses `fetch`, because EventSource can neither send the mode nor distinguish a
 * refusal from a broken connection.
 */

const STREAM_PATH = "/dashboard/api/events/stream";
/** The server sends a heartbeat every 15 s: after two missed ones, the connection is considered dead. */
const IDLE_TIMEOUT_MS = 40_000;

/** @throws ApiError if the server refuses or does not respond */
async function openClickStream(
  { mode, linkId, includeBots }: FeedSource,
  lastEventId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({
    ...(linkId === null ? {} : { link_id: linkId }),
    include_bots: String(includeBots),
    origin: "all",
  });
  const headers = {
    Accept: "text/event-stream",
    "Hoplink-Mode": mode,
    ...(lastEventId === null ? {} : { "Last-Event-ID": lastEventId }),
  };
  const { body } = await okResponse(fetch(`${STREAM_PATH}?${query}`, { headers, signal }));
  if (!body) throw networkError();
  return body;
}

/** Returns at the end of the stream, or when it has been idle for too long. Throws if the signal aborts the fetch. */
async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: EventSourceMessage) => void,
  onHeard: () => void,
  signal: AbortSignal,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    onHeard();
    clearTimeout(timer);
    timer = setTimeout(() => void reader.cancel(), IDLE_TIMEOUT_MS);
  };
  heard();
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
}

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
      onStateChange: (next: FeedState) => !controller.signal.aborted && setState(next),
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
