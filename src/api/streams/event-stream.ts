/**
 * The body of a live stream. It forwards the Durable Object's messages and keeps the connection alive. It ends when the
 * client leaves or falls behind, when the caller loses access, when its limits are reached, or when an object ends it.
 * Client, sockets and timers end together, so that a client that has left leaves no slot taken.
 */
import { GenerationCache } from "../../core/memory/caches.ts";
import { MORE_MESSAGE, PROBE_MESSAGE } from "../../core/streams/stream-protocol.ts";
import type { OpenStream } from "../../store/streams.ts";

interface Listener {
  /** Streams with the same id share one access check. */
  id: string;
  isStillAllowed: () => Promise<boolean>;
  /** When the caller was authenticated, epoch ms. */
  allowedAt: number;
  lifetimeMs: number;
  /** Maximum number of messages from the object. */
  messagesMax: number;
}

/** Clients retry after this time, when a slot is free if one of their streams was cut off (clicks/account-feed.ts). */
export const RETRY_MS = 2_000;
export const HEARTBEAT_INTERVAL_MS = 15_000;
/** A revoked key's stream lasts at most twice this plus the time of a look-up; ten seconds are promised. @internal */
export const ACCESS_CHECK_INTERVAL_MS = 4_000;
/** How long a stream lasts after its last successful check while checks fail. */
const UNCHECKED_MAX_MS = 60_000;

/** Unsent bytes above which no more history is requested from the object until the client has read. */
const BUFFER_MAX_BYTES = 64 * 1024;
/** Unsent bytes above which a lagging client is disconnected: it reconnects and catches up at its own pace. */
const LAG_MAX_BYTES = 512 * 1024;

const ACCESS_CACHE_MAX_ENTRIES = 1_000;
/** Start of a caller's last check, of the last that succeeded, and of the last that refused; epoch ms. */
interface Access {
  askedAt: number;
  allowedAt: number;
  refusedAt: number;
}
/** Shares one access check among the streams of a caller in this isolate. */
const accessCache = new GenerationCache<Access>(ACCESS_CACHE_MAX_ENTRIES);

const encoder = new TextEncoder();
const GREETING = encoder.encode(`retry: ${RETRY_MS}\n: welcome\n\n`);
const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/**
 * A native stream: with a `ReadableStream`, the runtime would read each event through JavaScript again, a fifth of its
 * cost.
 */
export function eventStream(stream: OpenStream, signal: AbortSignal, listener: Listener): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream({ highWaterMark: BUFFER_MAX_BYTES });
  const connection = new StreamConnection(stream, writable.getWriter(), listener);
  signal.addEventListener("abort", () => connection.abort());
  connection.start();
  return readable;
}

class StreamConnection {
  readonly #stream: OpenStream;
  readonly #listener: Listener;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Null once the stream has ended. */
  #client: WritableStreamDefaultWriter<Uint8Array> | null;
  /** Events that did not fit into the stream's queue. */
  #pending: Uint8Array[] = [];
  /** The object waits for `MORE_MESSAGE` before it sends more history. */
  #objectHasMore = false;
  #messages = 0;
  readonly #onWritten = () => this.#flush();
  readonly #onGone = () => this.abort();

  constructor(stream: OpenStream, client: WritableStreamDefaultWriter<Uint8Array>, listener: Listener) {
    this.#stream = stream;
    this.#client = client;
    this.#listener = listener;
  }

  start(): void {
    this.#send(GREETING);
    const { events, slot } = this.#stream;
    events.binaryType = "arraybuffer";
    for (const socket of new Set([events, slot])) {
      socket.addEventListener("message", ({ data }) => this.#onMessage(data));
      socket.addEventListener("close", () => this.end());
      socket.addEventListener("error", () => this.end());
      socket.accept();
    }
    this.#repeat(HEARTBEAT_INTERVAL_MS, () => this.#send(HEARTBEAT));
    this.#repeat(ACCESS_CHECK_INTERVAL_MS, () => this.#checkAccess());
    this.#timers.push(setInterval(() => this.end(), this.#listener.lifetimeMs));
  }

  /** Called when the client may have room. */
  #flush(): void {
    for (let next = this.#pending[0]; next && this.#hasRoom; next = this.#pending[0]) {
      this.#pending.shift();
      this.#client?.write(next).then(this.#onWritten, this.#onGone);
    }
    if (!this.#objectHasMore || !this.#hasRoom) return;
    this.#objectHasMore = false;
    this.#stream.events.send(MORE_MESSAGE);
  }

  /**
   * Ends the stream after pending writes. Clients reconnect after a random delay, because streams that were opened
   * together, as after a deployment, end together. Fails silently if the client has left in the meantime.
   */
  end(): void {
    const client = this.#release();
    const retryMs = Math.round(RETRY_MS * (0.5 + Math.random()));
    client?.write(encoder.encode(`retry: ${retryMs}\n\n`)).catch(() => {});
    client?.close().catch(() => {});
  }

  /** The client has left. If the stream were closed here, the runtime would log that nothing reads it. */
  abort(): void {
    this.#release()
      ?.abort()
      .catch(() => {});
  }

  /** Ends timers and sockets, once. @returns null if they have already ended */
  #release(): WritableStreamDefaultWriter<Uint8Array> | null {
    const client = this.#client;
    if (!client) return null;
    this.#client = null;
    this.#pending = [];
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of new Set([this.#stream.events, this.#stream.slot])) closeQuietly(socket);
    return client;
  }

  #onMessage(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.#send(new Uint8Array(data));
      if (++this.#messages >= this.#listener.messagesMax) this.end();
      return;
    }
    if (data === PROBE_MESSAGE) return this.#send(HEARTBEAT);
    this.#objectHasMore = true;
    this.#flush();
  }

  #send(bytes: Uint8Array): void {
    if (!this.#client) return;
    this.#pending.push(bytes);
    this.#flush();
    if (this.#pending.reduce((sum, { length }) => sum + length, 0) > LAG_MAX_BYTES) this.end();
  }

  get #hasRoom(): boolean {
    return (this.#client?.desiredSize ?? 0) > 0;
  }

  async #checkAccess(): Promise<void> {
    const { id, isStillAllowed, allowedAt } = this.#listener;
    const known = accessCache.get(id);
    const access = known ?? { askedAt: allowedAt, allowedAt, refusedAt: -Infinity };
    if (!known) accessCache.set(id, access);
    const now = Date.now();
    // The next check would be too late.
    const isUnchecked = now + ACCESS_CHECK_INTERVAL_MS > Math.max(access.allowedAt, allowedAt) + UNCHECKED_MAX_MS;
    if (isUnchecked || access.refusedAt >= allowedAt) return this.end();
    if (now - access.askedAt < ACCESS_CHECK_INTERVAL_MS) return;
    // Written before the look-up ends: streams whose timer fires in the meantime use the previous result.
    access.askedAt = now;
    if (await isStillAllowed()) access.allowedAt = now;
    else access.refusedAt = now;
    if (access.refusedAt >= allowedAt) this.end();
  }

  /** A failed run is repeated at the next interval, so that a short database outage ends no streams. */
  #repeat(ms: number, chore: () => void | Promise<void>): void {
    const run = async () => {
      try {
        await chore();
      } catch (error) {
        console.warn("live stream", { error: String(error) });
      }
    };
    this.#timers.push(setInterval(() => void run(), ms));
  }
}

function closeQuietly(socket: WebSocket): void {
  try {
    socket.close();
  } catch {
    // Already closed.
  }
}
