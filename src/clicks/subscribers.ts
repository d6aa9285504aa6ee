/**
 * Streams that follow a log: one hibernating WebSocket each, held at the other end by the Worker that serves the client.
 * Who is behind reads page by page, as fast as it asks; the others get each event soon after it is kept. Where a stream
 * stands lies in its socket's attachment, so that the object may sleep and forget.
 * The runtime holds messages back until what was written before them is durable.
 */
import { clickFrame, type Cursor, cursorFrame, gapFrame, type LoggedEvent } from "../core/streams/event-log.ts";
import { CLOSE_CODE_RESUME, MORE_MESSAGE, REFUSAL_STATUSES } from "../core/streams/stream-protocol.ts";

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
  /** Of the next event to send. */
  position: number;
  /** Whether it was told that there is more than it can be sent at once, and is to ask for it. */
  asks: boolean;
  includeBots: boolean;
}

/** Some events of the log as they are sent, without those of bots and with them; null when there are none. */
interface EncodedPage {
  count: number;
  humanEvents: Uint8Array | null;
  allEvents: Uint8Array | null;
}

/** By the position of their first event. */
type PagesByPosition = Map<number, EncodedPage>;

/** Marks the sockets that are subscribers, among others that an object may hold. */
const SUBSCRIBER_TAG = "subscriber";

/**
 * So many streams are served at a time, with a rest between: what they are sent takes several more turns of the event
 * loop to pass through, each for all that is on its way. Served all at once, a thousand would all wait for the last one,
 * and without a rest more would be sent than gets through.
 */
const STREAMS_PER_TURN = 50;
const TURN_PAUSE_MS = 2;

const encoder = new TextEncoder();

export class Subscribers {
  readonly #ctx: DurableObjectState;
  readonly #log: EventLog;
  /** As the attachments have it; null until it is needed after the object woke. */
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
   * Takes a stream, from the cursor in the request or from now on.
   * @param tags  to find its socket by, beside those of subscribers
   */
  accept({ searchParams }: URL, tags: string[] = []): Response {
    const log = searchParams.get("log") ?? this.#log.name;
    const after = cursorFromParams(searchParams);
    const { first, end } = this.#log;
    if (after && after.position > end.position) return new Response(null, { status: REFUSAL_STATUSES.bad_cursor });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [SUBSCRIBER_TAG, ...tags]);
    const isTooOld = after !== null && after.position < first.position;
    if (isTooOld) server.send(encoder.encode(gapFrame(log, after.at, first)));
    if (!after) server.send(encoder.encode(cursorFrame(log, end)));
    const position = isTooOld ? first.position : (after?.position ?? end.position);
    this.#setPosition(server, { position, includeBots: searchParams.has("bots") });
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A stream that asked has room: sends it the next page. */
  sendNextPage(socket: WebSocket): void {
    const subscriber = this.#subscribers.get(socket);
    if (subscriber?.asks) this.#sendPage(socket, subscriber, new Map());
  }

  /** Events were just appended: sends them to all who do not read page by page. */
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

  /** Serves some streams after the others, round after round, until all have what there is. */
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
   * Sends a stream the next events. What fails ends this stream alone.
   * @param pages  what was read for others in the same turn
   */
  #sendPage(socket: WebSocket, { position, includeBots }: Subscriber, pages: PagesByPosition): void {
    // What it was to read next is no longer kept. When it comes back it is told of the gap.
    if (position < this.#log.first.position) return this.#disconnect(socket, "too far behind");
    try {
      let page = pages.get(position);
      if (!page) pages.set(position, (page = this.#readPage(position)));
      // Asked again and again it would never end.
      if (page.count === 0) return this.#disconnect(socket, "nothing to read");
      const bytes = includeBots ? page.allEvents : page.humanEvents;
      if (bytes && !this.#trySend(socket, bytes)) return;
      this.#setPosition(socket, { position: position + page.count, includeBots });
    } catch (error) {
      console.error("live stream", { log: this.#log.name, position, error: String(error) });
      this.#disconnect(socket, "failed");
    }
  }

  #readPage(position: number): EncodedPage {
    const events = this.#log.page(position);
    const [people, all] = [this.#encodeFrames(position, events, false), this.#encodeFrames(position, events, true)];
    return { count: events.length, humanEvents: people, allEvents: all };
  }

  /** Notes where a stream stands now, and has it ask when that is not the end. */
  #setPosition(socket: WebSocket, { position, includeBots }: Pick<Subscriber, "position" | "includeBots">): void {
    const asks = position < this.#log.end.position;
    const subscriber = { position, asks, includeBots };
    this.#subscribers.set(socket, subscriber);
    socket.serializeAttachment(subscriber);
    if (asks) this.#trySend(socket, MORE_MESSAGE);
  }

  #encodeFrames(from: number, events: readonly LoggedEvent[], includeBots: boolean): Uint8Array | null {
    const isSent = ({ human, data }: LoggedEvent) => data !== "" && (human || includeBots);
    const frames = events.map((event, i) => (isSent(event) ? clickFrame(this.#log.name, event, from + i + 1) : ""));
    const text = frames.join("");
    return text === "" ? null : encoder.encode(text);
  }

  /** False when the socket is on its way out: it takes nothing more, and its close is heard of soon. */
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
      // It is closed already.
    }
  }
}

function cursorFromParams(params: URLSearchParams): Cursor | null {
  const [position, at] = [params.get("position"), params.get("at")];
  return position === null || at === null ? null : { position: Number(position), at: Number(at) };
}
