/**
 * Follows a link's clicks for as long as it is wanted: over the live stream, and where that does not serve the link
 * (it was made in the dashboard) or has no place left, by asking the click log every few seconds.
 */
import type { EventSourceMessage } from "eventsource-parser";

import type { ClickPage, Stats } from "../../../../core/contract/contract.ts";
import type { Mode } from "../../../../core/credentials.ts";
import { ApiError } from "../../../api/api-error.ts";
import { answer, type Client } from "../../../api/client.ts";
import { openStream, readEvents } from "./click-stream.ts";
import { type FeedClick, loggedClick, streamedClick } from "./feed.ts";
import { pause, untilVisible } from "./waiting.ts";

/** `polling`: the stream does not carry this link. `instead`: it would, but cannot be had now. */
export type FeedState = "connecting" | "live" | "polling" | "instead" | "reconnecting";

export interface FeedSource {
  api: Client;
  mode: Mode;
  linkId: string;
  includeBots: boolean;
}

export interface FeedListener {
  onState: (state: FeedState) => void;
  /** Clicks in the order in which they happened; `backlog` were there before. */
  onClicks: (clicks: FeedClick[], backlog: boolean) => void;
  /** Some clicks were not told of one by one. */
  onGap: () => void;
}

const POLL_MS = 4_000;
const BACKLOG_CLICKS = 25;
const RECONNECT_FIRST_MS = 2_000;
const RECONNECT_LAST_MS = 30_000;

/** Ends when the signal does. */
export async function followClicks(source: FeedSource, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const streamed = await followStream(source, listener, signal);
  if (streamed !== "ended" && !signal.aborted) await pollLog(source, listener, streamed, signal);
}

async function followStream(
  source: FeedSource,
  listener: FeedListener,
  signal: AbortSignal,
): Promise<"polling" | "instead" | "ended"> {
  let lastEventId: string | null = null;
  let failures = 0;
  const tell = afterBacklog(source, listener);
  const onEvent = ({ id, event, data }: EventSourceMessage) => {
    if (id) lastEventId = id;
    failures = 0;
    if (event === "gap") listener.onGap();
    const click = event === "click" ? streamedClick(data) : null;
    if (click) tell.click(click);
  };
  listener.onState("connecting");
  while (!signal.aborted) {
    try {
      const stream = await openStream(source, lastEventId, signal);
      listener.onState("live");
      tell.backlogOnce();
      await readEvents(stream, onEvent, signal);
    } catch (error) {
      if (isRefusal(error)) return error.code === "link_not_api_created" ? "polling" : "instead";
    }
    if (signal.aborted) break;
    listener.onState("reconnecting");
    await pause(Math.min(RECONNECT_FIRST_MS * 2 ** failures++, RECONNECT_LAST_MS), signal);
  }
  return "ended";
}

/**
 * What the log has comes first, then the stream. It is asked for once the stream is open, so that no click falls between
 * the two; those that come meanwhile wait, and are left out where the log has told of them already.
 */
function afterBacklog(source: FeedSource, listener: FeedListener) {
  const early: FeedClick[] = [];
  let isAsked = false;
  let end: string | null = null;
  const tellBacklog = async () => {
    // The stream is worth having also without what was before it.
    const { clicks } = await latestClicks(source).catch(() => ({ clicks: [] }));
    listener.onClicks(clicks, true);
    end = clicks.at(-1)?.occurredAt ?? "";
    for (const one of early.splice(0)) click(one);
  };
  const click = (one: FeedClick) => {
    if (end === null) early.push(one);
    else if (one.occurredAt > end) listener.onClicks([one], false);
  };
  const backlogOnce = () => {
    if (!isAsked) void tellBacklog();
    isAsked = true;
  };
  return { click, backlogOnce };
}

/** The stream will not be had by asking again: the link has none, or all places are taken. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

interface LogPage {
  clicks: FeedClick[];
  next: number;
  /** There is more than this page. */
  isBehind: boolean;
}

async function pollLog(
  source: FeedSource,
  listener: FeedListener,
  state: "polling" | "instead",
  signal: AbortSignal,
): Promise<void> {
  let after: number | null = null;
  let isBacklog = true;
  while (!signal.aborted) {
    try {
      const { clicks, next, isBehind }: LogPage =
        after === null ? await latestClicks(source) : await clicksAfter(source, after);
      if (signal.aborted) return;
      listener.onState(state);
      if (isBacklog || clicks.length > 0) listener.onClicks(clicks, isBacklog);
      isBacklog = false;
      // Who is overtaken by the clicks goes on with the latest.
      after = isBehind ? null : next;
    } catch {
      if (!signal.aborted) listener.onState("reconnecting");
    }
    await pause(POLL_MS, signal);
    await untilVisible(signal);
  }
}

/** The log is gapless and counts from one, so the count of all clicks says where it ends. */
async function latestClicks(source: FeedSource): Promise<LogPage> {
  const { api, linkId } = source;
  const { total } = await answer<Stats>(
    api.links[":id"].stats.$get({ param: { id: linkId }, query: { group_by: "source", include_bots: "true" } }),
  );
  return clicksAfter(source, Math.max(0, total - BACKLOG_CLICKS));
}

async function clicksAfter({ api, linkId, includeBots }: FeedSource, after: number): Promise<LogPage> {
  const page = await answer<ClickPage>(api.links[":id"].clicks.$get({ param: { id: linkId }, query: { after } }));
  const wanted = page.data.filter((click) => includeBots || click.class === "human");
  return { clicks: wanted.map(loggedClick), next: page.next_after, isBehind: page.has_more };
}
