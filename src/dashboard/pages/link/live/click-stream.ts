/**
 * The live stream as bytes and events. Read by `fetch`, since EventSource can neither name the mode nor tell a refusal
 * from a cut line.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";

import type { Mode } from "../../../../core/credentials.ts";
import { readApiError, networkError } from "../../../api/api-error.ts";

const STREAM_PATH = "/dashboard/api/events/stream";
/** The server says something every 15 s: a line that is silent for longer than two of these is dead. */
const IDLE_TIMEOUT_MS = 40_000;

interface StreamTarget {
  mode: Mode;
  linkId: string;
  includeBots: boolean;
}

/** @throws ApiError when it is refused, or nothing answered */
export async function openStream(
  { mode, linkId, includeBots }: StreamTarget,
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
  if (!response.ok || !response.body) throw await readApiError(response);
  return response.body;
}

/** Ends with the stream, when the signal does, or when nothing has come for too long. */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: EventSourceMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const idleTimer = startIdleTimer(() => void reader.cancel());
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      idleTimer.heard();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    idleTimer.stop();
    await reader.cancel().catch(() => {});
  }
}

function startIdleTimer(onIdle: () => void) {
  let timer = setTimeout(onIdle, IDLE_TIMEOUT_MS);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(onIdle, IDLE_TIMEOUT_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
