/**
 * Follows a link's clicks for as long as it is wanted: over the live stream, and where that does not serve the link
 * (it was made in the dashboard) or has no place left, by asking the click log every few seconds.
 * The stream is read by `fetch`, since EventSource can neither name the mode nor tell a refusal from a cut line.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";

import type { ClickPage, Stats } from "../../../../core/contract.ts";
import type { Mode } from "../../../../core/credentials.ts";
import { ApiError, apiErrorOf, networkError } from "../../../api/api-error.ts";
import { answer, type Client } from "../../../api/client.ts";
import { type FeedClick, loggedClick, streamedClick } from "./feed.ts";

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

const STREAM_PATH = "/dashboard/api/events/stream";
const POLL_MS = 4_000;
const BACKLOG_CLICKS = 25;
const RECONNECT_FIRST_MS = 2_000;
const RECONNECT_LAST_MS = 30_000;
/** The server says something every 15 s: a line that is silent for longer than two of these is dead. */
const SILENCE_MAX_MS = 40_000;

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
  let backlogEnd: string | null = null;
  let failures = 0;
  const onEvent = ({ id, event, data }: EventSourceMessage) => {
    if (id) lastEventId = id;
    failures = 0;
    if (event === "gap") listener.onGap();
    const click = event === "click" ? streamedClick(data) : null;
    // The log may have told of it already, between the connection and its first event.
    if (click && (backlogEnd === null || click.occurredAt > backlogEnd)) listener.onClicks([click], false);
  };
  listener.onState("connecting");
  while (!signal.aborted) {
    try {
      const stream = await openStream(source, lastEventId, signal);
      listener.onState("live");
      const reading = readEvents(stream, onEvent, signal);
      backlogEnd ??= await tellBacklog(source, listener);
      await reading;
    } catch (error) {
      if (isRefusal(error)) return error.code === "link_not_api_created" ? "polling" : "instead";
    }
    if (signal.aborted) break;
    listener.onState("reconnecting");
    await pause(Math.min(RECONNECT_FIRST_MS * 2 ** failures++, RECONNECT_LAST_MS), signal);
  }
  return "ended";
}

/** Whatever the log has, oldest first. @returns the time of the last, or of nothing */
async function tellBacklog(source: FeedSource, listener: FeedListener): Promise<string> {
  const { clicks } = await latestClicks(source);
  listener.onClicks(clicks, true);
  return clicks.at(-1)?.occurredAt ?? "";
}

async function openStream(
  { mode, linkId, includeBots }: FeedSource,
  lastEventId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({ link_id: linkId, include_bots: String(includeBots) });
  const response = await fetch(`${STREAM_PATH}?${query}`, {
    headers: {
      Accept: "text/event-stream",
      "Hoplink-Mode": mode,
      ...(lastEventId === null ? {} : { "Last-Event-ID": lastEventId }),
    },
    signal,
  }).catch(() => {
    throw networkError();
  });
  if (!response.ok || !response.body) throw await apiErrorOf(response);
  return response.body;
}

/** Ends with the stream, when the signal does, or when nothing has come for too long. */
async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: EventSourceMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const silence = silenceWatch(() => void reader.cancel());
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.heard();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    silence.stop();
    await reader.cancel().catch(() => {});
  }
}

function silenceWatch(onSilence: () => void) {
  let timer = setTimeout(onSilence, SILENCE_MAX_MS);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(onSilence, SILENCE_MAX_MS);
    },
    stop: () => clearTimeout(timer),
  };
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/** A page that nobody sees asks for nothing. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (!document.hidden || signal.aborted) return done();
    const end = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", end);
      signal.removeEventListener("abort", end);
      done();
    };
    document.addEventListener("visibilitychange", end);
    signal.addEventListener("abort", end);
  });
}
