/**
 * Follows a link's clicks for as long as it is wanted: over the live stream, and where that does not serve the link
 * (it was made in the dashboard) or has no place left, by asking the click log every few seconds.
 */
import type { EventSourceMessage } from "eventsource-parser";

import type { ClickPage, Stats } from "../../../../core/contract/contract.ts";
import type { Mode } from "../../../../core/credentials.ts";
import { ApiError } from "../../../api/api-error.ts";
import { unwrap, type ApiClient } from "../../../api/client.ts";
import { openStream, readEvents } from "./click-stream.ts";
import { type FeedClick, feedClickFromLog, feedClickFromEvent } from "./feed-clicks.ts";
import { sleep, waitUntilVisible } from "./abortable-waits.ts";

/** `polling`: the stream does not carry this link. `fallback`: it would, but cannot be had now. */
export type FeedState = "connecting" | "live" | "polling" | "fallback" | "reconnecting";

export interface FeedSource {
  api: ApiClient;
  mode: Mode;
  linkId: string;
  includeBots: boolean;
}

export interface FeedListener {
  onStateChange: (state: FeedState) => void;
  /** Clicks in the order in which they happened; `backlog` were there before. */
  onClicks: (clicks: FeedClick[], backlog: boolean) => void;
  /** Some clicks were not told of one by one. */
  onGap: () => void;
}

const POLL_MS = 4_000;
const BACKLOG_CLICKS = 25;
const RECONNECT_MIN_MS = 2_000;
const RECONNECT_MAX_MS = 30_000;

/** Ends when the signal does. */
export async function followClicks(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const streamed = await followStream(source, listener, signal);
  if (streamed !== "ended" && !signal.aborted) await pollLog(source, listener, streamed, signal);
}

async function followStream(
  source: FeedSource,
  listener: FeedListener,
  signal: AbortSignal,
): Promise<"polling" | "fallback" | "ended"> {
  let lastEventId: string | null = null;
  let failures = 0;
  const delivery = backlogFirst(source, listener);
  const onEvent = ({ id, event, data }: EventSourceMessage) => {
    if (id) lastEventId = id;
    failures = 0;
    if (event === "gap") listener.onGap();
    const click = event === "click" ? feedClickFromEvent(data) : null;
    if (click) delivery.deliver(click);
  };
  listener.onStateChange("connecting");
  while (!signal.aborted) {
    try {
      const stream = await openStream(source, lastEventId, signal);
      listener.onStateChange("live");
      delivery.requestBacklogOnce();
      await readEvents(stream, onEvent, signal);
    } catch (error) {
      if (isRefusal(error)) return error.code === "link_not_api_created" ? "polling" : "fallback";
    }
    if (signal.aborted) break;
    listener.onStateChange("reconnecting");
    await sleep(Math.min(RECONNECT_MIN_MS * 2 ** failures++, RECONNECT_MAX_MS), signal);
  }
  return "ended";
}

/**
 * What the log has comes first, then the stream. It is asked for once the stream is open, so that no click falls between
 * the two; those that come meanwhile wait, and are left out where the log has told of them already.
 */
function backlogFirst(source: FeedSource, listener: FeedListener) {
  const buffered: FeedClick[] = [];
  let isBacklogRequested = false;
  let backlogEnd: string | null = null;
  const deliverBacklog = async () => {
    // The stream is worth having also without what was before it.
    const { clicks } = await latestClicks(source).catch(() => ({ clicks: [] }));
    listener.onClicks(clicks, true);
    backlogEnd = clicks.at(-1)?.occurredAt ?? "";
    for (const one of buffered.splice(0)) deliver(one);
  };
  const deliver = (one: FeedClick) => {
    if (backlogEnd === null) buffered.push(one);
    else if (one.occurredAt > backlogEnd) listener.onClicks([one], false);
  };
  const requestBacklogOnce = () => {
    if (!isBacklogRequested) void deliverBacklog();
    isBacklogRequested = true;
  };
  return { deliver, requestBacklogOnce };
}

/** The stream will not be had by asking again: the link has none, or all places are taken. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

interface LogPage {
  clicks: FeedClick[];
  next: number;
  /** There is more than this page. */
  hasMore: boolean;
}

async function pollLog(
  source: FeedSource,
  listener: FeedListener,
  state: "polling" | "fallback",
  signal: AbortSignal,
): Promise<void> {
  let after: number | null = null;
  let isBacklog = true;
  while (!signal.aborted) {
    try {
      const { clicks, next, hasMore }: LogPage =
        after === null ? await latestClicks(source) : await clicksAfter(source, after);
      if (signal.aborted) return;
      listener.onStateChange(state);
      if (isBacklog || clicks.length > 0) listener.onClicks(clicks, isBacklog);
      isBacklog = false;
      // Who is overtaken by the clicks goes on with the latest.
      after = hasMore ? null : next;
    } catch {
      if (!signal.aborted) listener.onStateChange("reconnecting");
    }
    await sleep(POLL_MS, signal);
    await waitUntilVisible(signal);
  }
}

/** The log is gapless and counts from one, so the count of all clicks says where it ends. */
async function latestClicks(source: FeedSource): Promise<LogPage> {
  const { api, linkId } = source;
  const { total } = await unwrap<Stats>(
    api.links[":id"].stats.$get({ param: { id: linkId }, query: { group_by: "source", include_bots: "true" } }),
  );
  return clicksAfter(source, Math.max(0, total - BACKLOG_CLICKS));
}

async function clicksAfter({ api, linkId, includeBots }: FeedSource, after: number): Promise<LogPage> {
  const page = await unwrap<ClickPage>(api.links[":id"].clicks.$get({ param: { id: linkId }, query: { after } }));
  const visible = page.data.filter((click) => includeBots || click.class === "human");
  return { clicks: visible.map(feedClickFromLog), next: page.next_after, hasMore: page.has_more };
}
