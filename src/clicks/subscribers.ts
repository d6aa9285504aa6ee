/**
 * Streams that follow a log: one hibernating WebSocket each, held at the other end by the Worker that serves the client.
 * Who is behind reads page by page, as fast as it asks; who is at the end gets each event as it is kept. Where a stream
 * stands lies in its socket's attachment, so that the object may sleep and forget.
 * Called in the turn that stores events: the runtime holds messages back until what was written is durable.
 */
import { clickFrame, type Cursor, cursorFrame, gapFrame, type LoggedEvent, PAGE_EVENTS } from "../core/event-log.ts";
import { MORE, REFUSALS } from "../core/live-stream.ts";

export interface EventLog {
  /** As it is called in cursors. */
  readonly name: string;
  /** Where what is kept begins. */
  readonly first: Cursor;
  readonly end: Cursor;
  /** The events from a position on, at most a page. */
  page: (from: number) => LoggedEvent[];
}

interface Subscriber {
  /** Of the next event to send; null when it has all there are. */
  position: number | null;
  includeBots: boolean;
}

/** Marks the sockets that are subscribers, among others that an object may hold. */
const TAG = "subscriber";

const encoder = new TextEncoder();

export class Subscribers {
  readonly #ctx: DurableObjectState;
  readonly #log: EventLog;
  /** As the attachments have it; null until it is needed after the object woke. */
  #known: Map<WebSocket, Subscriber> | null = null;

  constructor(ctx: DurableObjectState, log: EventLog) {
    this.#ctx = ctx;
    this.#log = log;
  }

  get count(): number {
    return this.#subscribers.size;
  }

  /**
   * Takes a stream, from the cursor in the request or from now on.
   * @param tags  to find its socket by, beside those of subscribers
   */
  accept({ searchParams }: URL, tags: string[] = []): Response {
    const log = searchParams.get("log") ?? this.#log.name;
    const after = cursorIn(searchParams);
    const { first, end } = this.#log;
    if (after && after.position > end.position) return new Response(null, { status: REFUSALS.bad_cursor });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [TAG, ...tags]);
    const isTooOld = after !== null && after.position < first.position;
    if (isTooOld) server.send(encoder.encode(gapFrame(log, after.at, first)));
    if (!after) server.send(encoder.encode(cursorFrame(log, end)));
    const position = isTooOld ? first.position : (after?.position ?? end.position);
    this.#move(server, { position, includeBots: searchParams.has("bots") });
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A stream has room: sends it the next page. */
  send(socket: WebSocket): void {
    const subscriber = this.#subscribers.get(socket);
    if (!subscriber || subscriber.position === null) return;
    const events = this.#log.page(subscriber.position);
    const bytes = this.#framed(subscriber.position, events, subscriber.includeBots);
    if (bytes) this.#tell(socket, bytes);
    this.#move(socket, { ...subscriber, position: subscriber.position + events.length });
  }

  /** Sends what was just appended, from a position on, to all who had everything before it. */
  publish(from: number): void {
    const waiting = [...this.#subscribers].filter(([, { position }]) => position === null);
    if (waiting.length === 0) return;
    if (this.#log.end.position - from > PAGE_EVENTS) {
      for (const [socket, subscriber] of waiting) this.#move(socket, { ...subscriber, position: from });
      return;
    }
    const events = this.#log.page(from);
    const [people, all] = [this.#framed(from, events, false), this.#framed(from, events, true)];
    for (const [socket, { includeBots }] of waiting) {
      const bytes = includeBots ? all : people;
      if (bytes) this.#tell(socket, bytes);
    }
  }

  forget(socket: WebSocket): void {
    this.#subscribers.delete(socket);
  }

  closeAll(code: number, reason: string): void {
    for (const socket of this.#subscribers.keys()) socket.close(code, reason);
    this.#subscribers.clear();
  }

  get #subscribers(): Map<WebSocket, Subscriber> {
    this.#known ??= new Map(
      this.#ctx.getWebSockets(TAG).map((socket) => [socket, socket.deserializeAttachment() as Subscriber]),
    );
    return this.#known;
  }

  /** Notes where a stream stands now, and tells it when there is more for it to ask for. */
  #move(socket: WebSocket, { position, includeBots }: Subscriber): void {
    const isBehind = position !== null && position < this.#log.end.position;
    const subscriber = { position: isBehind ? position : null, includeBots };
    this.#subscribers.set(socket, subscriber);
    socket.serializeAttachment(subscriber);
    if (isBehind) this.#tell(socket, MORE);
  }

  #framed(from: number, events: readonly LoggedEvent[], includeBots: boolean): Uint8Array | null {
    const frames = events.map((event, i) =>
      event.human || includeBots ? clickFrame(this.#log.name, event, from + i + 1) : "",
    );
    const text = frames.join("");
    return text === "" ? null : encoder.encode(text);
  }

  /** A socket that is on its way out takes nothing more; its close is heard of soon. */
  #tell(socket: WebSocket, message: string | Uint8Array): void {
    try {
      socket.send(message);
    } catch {
      this.forget(socket);
    }
  }
}

function cursorIn(params: URLSearchParams): Cursor | null {
  const [position, at] = [params.get("position"), params.get("at")];
  return position === null || at === null ? null : { position: Number(position), at: Number(at) };
}
