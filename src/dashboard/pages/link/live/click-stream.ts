/**
 * Opens and parses the live stream. Uses `fetch`, since EventSource can neither send the mode nor tell a refusal from a
 * broken connection.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";

import type { Mode } from "../../../../core/account.ts";
import { readApiError, networkError } from "../../../api/api-error.ts";

const STREAM_PATH = "/dashboard/api/events/stream";
/** The server sends a heartbeat every 15 s: after two missed ones the connection is taken as dead. */
const IDLE_TIMEOUT_MS = 40_000;

interface StreamTarget {
  mode: Mode;
  linkId: string | null;
  includeBots: boolean;
}

/** @throws ApiError when it is refused, or without a response */
export async function openClickStream(
  { mode, linkId, includeBots }: StreamTarget,
  lastEventId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({
    ...(linkId === null ? {} : { link_id: linkId }),
    include_bots: String(includeBots),
  });
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

/** Returns at the end of the stream, or when it has been idle for too long. Throws when the signal aborts the fetch. */
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
