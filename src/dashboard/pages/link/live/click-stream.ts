/**
 * The live stream as bytes and events. Read by `fetch`, since EventSource can neither name the mode nor tell a refusal
 * from a cut line.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";

import type { Mode } from "../../../../core/credentials.ts";
import { apiErrorOf, networkError } from "../../../api/api-error.ts";

const STREAM_PATH = "/dashboard/api/events/stream";
/** The server says something every 15 s: a line that is silent for longer than two of these is dead. */
const SILENCE_MAX_MS = 40_000;

interface StreamOf {
  mode: Mode;
  linkId: string;
  includeBots: boolean;
}

/** @throws ApiError when it is refused, or nothing answered */
export async function openStream(
  { mode, linkId, includeBots }: StreamOf,
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
export async function readEvents(
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
