/**
 * The streams of a log. Each is a hibernating WebSocket to the Worker that serves the client. A stream that has caught
 * up is pushed each event soon after it is stored; one that is behind requests page after page (back-pressure). Each
 * stream's position is kept in its socket's attachment, so that the object can hibernate. The runtime holds messages
 * back until earlier writes are durable.
 */
import { clickFrame, type Cursor, gapFrame, type LoggedEvent, readyFrame } from "../core/streams/event-log.ts";
import { CLOSE_CODE_RESUME, MORE_MESSAGE, REFUSAL_STATUSES } from "../core/streams/stream-protocol.ts";

export interface EventLog {
  /** The log's name in cursors. */
  readonly name: string;
  /** Position and time of the first retained event. */
  readonly first: Cursor;
  readonly end: Cursor;
  /** Returns at most a page of events, beginning at a position. */
  page: (from: number) => LoggedEvent[];
  /** Maps a cursor issued before the log was restored from a backup. The restored log may lack the last events. */
  placeOf?: (cursor: Cursor) => Cursor;
}

/** Which events a stream receives. Its position counts the others too, so that any stream can resume at any cursor. */
interface Audience {
  includeBots: boolean;
  /** Whether it includes clicks on links created in the dashboard. */
  includeDashboard: boolean;
}

interface Subscriber extends Audience {
  /** Position of the next event to send. */
  position: number;
  /** Whether the stream is behind and requests page after page. */
  asks: boolean;
}

interface Page {
  events: readonly LoggedEvent[];
  /** The page as sent to each kind of audience; null when it has no events for them. */
  encoded: Map<string, Uint8Array | null>;
}

/** Pages by the position of their first event. */
type PagesByPosition = Map<number, Page>;

/** Tag that distinguishes the sockets of subscribers from the object's other sockets. */
const SUBSCRIBER_TAG = "subscriber";

/**
 * Number of streams written to before the loop yields. The runtime flushes sockets over several turns of the event
 * loop: writing to a thousand in one turn delays all of them until the last is written. Without a pause, the send
 * buffers grow faster than they are flushed.
 */
const STREAMS_PER_TURN = 50;
const TURN_PAUSE_MS = 1;

const encoder = new TextEncoder();

export class Subscribers {
  readonly #ctx: DurableObjectState;
  readonly #log: EventLog;
  /** Copy of the attachments; null until it is needed after hibernation. */
  #bySocket: Map<WebSocket, Subscriber> | null = null;
  #isPublishing = false;

  constructor(ctx: DurableObjectState, log: EventLog) {
    this.#ctx = ctx;
    this.#log = log;
  }

  get count(): number {
    return this.#subscribers.size;
  }

  /**
   * Accepts a stream that starts at the cursor in the request, or now if there is none.
   * @param tags  additional tags for its socket
   */
  accept({ searchParams }: URL, tags: string[] = []): Response {
    const log = searchParams.get("log") ?? this.#log.name;
    const sent = cursorFromParams(searchParams);
    const after = sent && (this.#log.placeOf?.(sent) ?? sent);
    const { first, end } = this.#log;
    if (after && after.position > end.position) return new Response(null, { status: REFUSAL_STATUSES.bad_cursor });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [SUBSCRIBER_TAG, ...tags]);
    const isTooOld = after !== null && after.position < first.position;
    if (isTooOld) server.send(encoder.encode(gapFrame(log, after.at, first)));
    const start = isTooOld ? first : (after ?? end);
    server.send(encoder.encode(readyFrame(log, start)));
    const audience = { includeBots: searchParams.has("bots"), includeDashboard: searchParams.has("dashboard") };
    this.#setPosition(server, { position: start.position, ...audience });
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends the next page to a stream that requests pages. */
  sendNextPage(socket: WebSocket): void {
    const subscriber = this.#subscribers.get(socket);
    if (subscriber?.asks) this.#sendPage(socket, subscriber, new Map());
  }

  /** Pushes events that were just appended to the streams that have caught up. */
  publish(): void {
    if (!this.#isPublishing && this.count > 0) this.#ctx.waitUntil(this.#publishToAll());
  }

  remove(socket: WebSocket): void {
    this.#subscribers.delete(socket);
  }

  closeAll(code: number, reason: string): void {
    for (const socket of this.#subscribers.keys()) socket.close(code, reason);
    this.#subscribers.clear();
  }

  get #subscribers(): Map<WebSocket, Subscriber> {
    this.#bySocket ??= new Map(
      this.#ctx.getWebSockets(SUBSCRIBER_TAG).map((socket) => [socket, socket.deserializeAttachment() as Subscriber]),
    );
    return this.#bySocket;
  }

  /** Sends to a few streams at a time, round after round, until all have caught up. */
  async #publishToAll(): Promise<void> {
    this.#isPublishing = true;
    try {
      for (let served = -1; served !== 0;) {
        served = 0;
        const pages: PagesByPosition = new Map();
        for (const socket of this.#subscribers.keys()) {
          const subscriber = this.#subscribers.get(socket);
          if (!subscriber || subscriber.asks || subscriber.position === this.#log.end.position) continue;
          this.#sendPage(socket, subscriber, pages);
          if (++served % STREAMS_PER_TURN === 0) {
            await new Promise((done) => setTimeout(done, TURN_PAUSE_MS));
            pages.clear();
          }
        }
      }
    } finally {
      this.#isPublishing = false;
    }
  }

  /**
   * Sends a stream its next page. A failure ends only this stream.
   * @param pages  pages read in the same turn for other streams
   */
  #sendPage(socket: WebSocket, subscriber: Subscriber, pages: PagesByPosition): void {
    const { position } = subscriber;
    // The next event is no longer retained. When the client resumes, it receives a gap event.
    if (position < this.#log.first.position) return this.#disconnect(socket, "too far behind");
    try {
      let page = pages.get(position);
      if (!page) pages.set(position, (page = { events: this.#log.page(position), encoded: new Map() }));
      const count = page.events.length;
      // A stream that is behind while nothing can be read would request pages forever.
      if (count === 0) return this.#disconnect(socket, "nothing to read");
      const bytes = this.#encodeOnce(position, page, subscriber);
      if (bytes && !this.#trySend(socket, bytes)) return;
      this.#setPosition(socket, { ...subscriber, position: position + count });
    } catch (error) {
      console.error("live stream", { log: this.#log.name, position, error: String(error) });
      this.#disconnect(socket, "failed");
    }
  }

  /** Stores a stream's position, and makes it request the next page unless it has caught up. */
  #setPosition(socket: WebSocket, place: Omit<Subscriber, "asks">): void {
    const asks = place.position < this.#log.end.position;
    const subscriber = { ...place, asks };
    this.#subscribers.set(socket, subscriber);
    socket.serializeAttachment(subscriber);
    if (asks) this.#trySend(socket, MORE_MESSAGE);
  }

  /** Streams of the same audience share their bytes. */
  #encodeOnce(from: number, { events, encoded }: Page, { includeBots, includeDashboard }: Audience): Uint8Array | null {
    const audience = `${includeBots} ${includeDashboard}`;
    const known = encoded.get(audience);
    if (known !== undefined) return known;
    const isSent = ({ human, ofDashboard, data }: LoggedEvent) =>
      data !== "" && (human || includeBots) && (!ofDashboard || includeDashboard);
    const frames = events.map((event, i) => (isSent(event) ? clickFrame(this.#log.name, event, from + i + 1) : ""));
    const text = frames.join("");
    const bytes = text === "" ? null : encoder.encode(text);
    encoded.set(audience, bytes);
    return bytes;
  }

  /** @returns false when the socket is closing; its close event follows */
  #trySend(socket: WebSocket, message: string | Uint8Array): boolean {
    try {
      socket.send(message);
      return true;
    } catch {
      this.remove(socket);
      return false;
    }
  }

  #disconnect(socket: WebSocket, reason: string): void {
    this.remove(socket);
    try {
      socket.close(CLOSE_CODE_RESUME, reason);
    } catch {
      // The socket is closed already.
    }
  }
}

function cursorFromParams(params: URLSearchParams): Cursor | null {
  const [position, at] = [params.get("position"), params.get("at")];
  return position === null || at === null ? null : { position: Number(position), at: Number(at) };
}
