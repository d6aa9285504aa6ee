/**
 * The live stream of clicks. After broken connections, restarts of the service and 429, it resumes after the last event
 * given to the caller. It moves at the caller's pace: nothing is read ahead.
 */
// oxlint-disable-next-line no-restricted-imports -- The package bundles it.
import { createParser, type EventSourceMessage } from "eventsource-parser";

import { jsonIn } from "../core/encoding/bytes.ts";
import { fullJitterBackoffMs } from "../core/retries.ts";
import type { ClickEvent } from "./api-types.ts";
import {
  bodyText,
  boundedWaitMs,
  Deadline,
  errorOf,
  HoplinkConnectionError,
  HoplinkError,
  malformedStream,
  reasonText,
  sleep,
  unexpectedResponse,
} from "./errors.ts";
import { type RequestOptions, Resource, type Transport } from "./transport.ts";

export type StreamEvent =
  /** The stream is open. Sent at the beginning and after each reconnection. */
  | { type: "ready"; cursor: string }
  | { type: "click"; cursor: string; click: ClickEvent }
  /** Events between these times are no longer stored: read them from the click logs. */
  | { type: "gap"; cursor: string; from: string; to: string };

export interface StreamOptions extends RequestOptions {
  /** The `cursor` of the last event that you handled: the stream resumes after it. */
  since?: string | undefined;
  /** Only clicks on this link. */
  linkId?: string | undefined;
  /** Includes declared bots and prefetches. */
  includeBots?: boolean | undefined;
  /** `all` includes clicks on links created in the dashboard. The default is `api`. */
  origin?: "api" | "all" | undefined;
  /** Time without a byte after which the connection counts as broken: 45,000 ms, three heartbeats of the service. */
  silenceMs?: number | undefined;
  /** Called when a connection is lost or refused, before waiting for the next one. */
  onReconnect?: ((reason: unknown, waitMs: number) => void) | undefined;
}

const SILENCE_MS = 45_000;
/** Wait before reconnecting, until the service specifies another time. */
const RETRY_MS = 2_000;
const RETRY_MIN_MS = 100;
const BACKOFF_MAX_MS = 30_000;
/** No event of the service is nearly as long. Endless input must not fill the memory. */
const EVENT_MAX_CHARS = 1_000_000;
/** Statuses of refusals that may not recur on a later request. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export class Events extends Resource {
  /**
   * Clicks as they happen, each once, and in order per link. Ends with `break`, with the signal, whose reason it
   * throws, or with an error that a new connection would meet again, such as `invalid_api_key`.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const stream = new ClickStream(this.api, options);
    const events = stream.events();
    const leave = events.return.bind(events);
    // A generator that waits for bytes would not notice `return` until the next ones arrive.
    return Object.assign(events, { return: (value: void) => (stream.end(), leave(value)) });
  }
}

class ClickStream {
  readonly #api: Transport;
  readonly #options: StreamOptions;
  /** Created when the first event is requested: an unread stream must not leave a listener on the caller's signal. */
  #life: Deadline | undefined;
  readonly #given = new RecentIds();
  #hasEnded = false;
  #cursor: string | undefined;
  #retryMs = RETRY_MS;
  /** Consecutive connections that broke before they were ready. */
  #failures = 0;

  constructor(api: Transport, options: StreamOptions) {
    this.#api = api;
    // A header sent with each connection would override the cursor, and restart where the first connection did.
    const { "last-event-id": cursor, ...headers } = Object.fromEntries(new Headers(options.headers));
    this.#options = { ...options, headers };
    this.#cursor = cursor ?? options.since;
  }

  end(): void {
    this.#hasEnded = true;
    this.#life?.abort();
  }

  async *events(): AsyncGenerator<StreamEvent, void, undefined> {
    const life = (this.#life = new Deadline(this.#options.signal));
    const { signal } = life;
    try {
      for (;;) {
        signal.throwIfAborted();
        const reason = yield* this.#untilBroken(signal);
        signal.throwIfAborted();
        if (isFinal(reason)) throw reason;
        const wait = this.#nextWaitMs(reason);
        this.#options.onReconnect?.(reason, wait);
        await sleep(wait, signal);
      }
    } catch (error) {
      if (!this.#hasEnded) throw error;
    } finally {
      life.end();
    }
  }

  /** Yields the events of one connection. @returns why it ended */
  async *#untilBroken(signal: AbortSignal): AsyncGenerator<StreamEvent, unknown, undefined> {
    const deadline = new Deadline(signal);
    try {
      for await (const event of this.#received(deadline)) {
        const given = this.#take(event);
        if (given) yield given;
        deadline.signal.throwIfAborted();
      }
      return broken(deadline.hasPassed ? "no data arrived for too long" : "the service ended it");
    } catch (error) {
      return error instanceof HoplinkError ? error : broken(error);
    } finally {
      // Also runs when the caller leaves the loop, so that the service has room for another stream immediately.
      deadline.abort();
    }
  }

  async *#received(deadline: Deadline): AsyncGenerator<EventSourceMessage, void, undefined> {
    const silenceMs = this.#options.silenceMs ?? SILENCE_MS;
    deadline.set(silenceMs);
    const reader = (await this.#open(deadline.signal)).getReader();
    // Not every runtime ends a read when its request is aborted.
    deadline.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
    const decoder = new TextDecoder();
    const events: EventSourceMessage[] = [];
    const parser = createParser({
      maxBufferSize: EVENT_MAX_CHARS,
      onEvent: (event) => events.push(event),
      onRetry: (ms) => (this.#retryMs = Math.max(ms, RETRY_MIN_MS)),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded")
          throw malformedStream(`an event exceeds ${EVENT_MAX_CHARS} characters`);
      },
    });
    for (;;) {
      deadline.set(silenceMs);
      const { done, value } = await reader.read();
      // While the caller is busy, nothing is read, so silence does not indicate a broken connection.
      deadline.stop();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  }

  async #open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { linkId, includeBots, origin, headers } = this.#options;
    const query = { link_id: linkId, include_bots: includeBots, origin, since: this.#cursor };
    const request = { method: "GET", path: ["events", "stream"], query, accept: "text/event-stream" } as const;
    const response = await this.#api.open(request, { headers, signal });
    if (!response.ok) throw errorOf(response, await bodyText(response));
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    if (!response.body || !isStream) throw unexpectedResponse(response, "");
    return response.body;
  }

  /** @returns null for a duplicate or an unknown event */
  #take({ event: type, data, id }: EventSourceMessage): StreamEvent | null {
    const cursor = id || this.#cursor || "";
    const event = readEvent(type, data, cursor);
    this.#cursor = cursor || undefined;
    if (event?.type === "ready") this.#failures = 0;
    if (event?.type === "click" && !this.#given.add(event.click.id)) return null;
    return event;
  }

  #nextWaitMs(reason: unknown): number {
    this.#failures++;
    const bounds = { firstMs: this.#retryMs, longestMs: BACKOFF_MAX_MS };
    const askedMs = reason instanceof HoplinkError ? (reason.retryAfter ?? 0) * 1_000 : 0;
    return boundedWaitMs(askedMs) + fullJitterBackoffMs(this.#failures, Math.random(), bounds);
  }
}

function broken(reason: unknown): HoplinkConnectionError {
  return new HoplinkConnectionError(`The stream was interrupted: ${reasonText(reason)}`, { cause: reason });
}

function isFinal(reason: unknown): boolean {
  return reason instanceof HoplinkError && reason.status < 500 && !PASSING_STATUSES.has(reason.status);
}

function readEvent(type: string | undefined, data: string, cursor: string): StreamEvent | null {
  if (type === "ready") return { type, cursor };
  if (type === "click") return { type, cursor, click: parsed<ClickEvent>(data) };
  if (type === "gap") return { type, cursor, ...parsed<{ from: string; to: string }>(data) };
  return null;
}

function parsed<T>(data: string): T {
  const value = jsonIn(data);
  if (value === undefined) throw malformedStream("an event is not valid JSON");
  return value as T;
}

/** Number of recent ids to remember: the most that a service could send again. */
const IDS_MAX = 1_000;

class RecentIds {
  readonly #ids = new Set<string>();

  /** @returns whether the id is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > IDS_MAX) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
