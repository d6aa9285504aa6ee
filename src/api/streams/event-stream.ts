/**
 * The body of a live stream: passes on what the object behind it sends, keeps the connection alive, and ends when the
 * client leaves or falls behind, when the caller may no longer listen, or when an object ends it. Whatever ends one of
 * the three (client, sockets, timers) ends all: nothing is left open behind a client that is gone.
 */
import { GenerationCache } from "../../core/generation-cache.ts";
import { MORE_MESSAGE } from "../../core/streams/stream-protocol.ts";
import type { OpenStream } from "../../store/streams.ts";

/** Who listens. */
interface Listener {
  /** Streams with the same one are allowed or not together. */
  id: string;
  isStillAllowed: () => Promise<boolean>;
}

const RETRY_MS = 2_000;
export const HEARTBEAT_INTERVAL_MS = 15_000;
/** Twice this, and the time of a look-up, is how long a revoked key may go on; ten seconds are promised. */
const ACCESS_CHECK_INTERVAL_MS = 4_000;
const RENEW_INTERVAL_MS = 3_600_000;

/** So much waits here for a client that is catching up; then it is not read on for. */
const BUFFER_MAX_BYTES = 64 * 1024;
/** A live client for which so much more waits is cut off: it comes back and catches up at its own pace. */
const LAG_MAX_BYTES = 512 * 1024;

const ACCESS_CACHE_MAX_ENTRIES = 1_000;
/** Streams of one caller in this isolate ask once for all of them. `at` is when it was last asked, epoch ms. */
const accessCache = new GenerationCache<{ at: number; allowed: boolean }>(ACCESS_CACHE_MAX_ENTRIES);

const encoder = new TextEncoder();
const GREETING = encoder.encode(`retry: ${RETRY_MS}\n: welcome\n\n`);
const HEARTBEAT = encoder.encode(": heartbeat\n\n");

export function eventStream(stream: OpenStream, signal: AbortSignal, listener: Listener): ReadableStream<Uint8Array> {
  const connection = new StreamConnection(stream, listener);
  signal.addEventListener("abort", () => connection.end());
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => connection.start(controller),
      pull: () => connection.flush(),
      cancel: () => connection.end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_MAX_BYTES }),
  );
}

class StreamConnection {
  readonly #stream: OpenStream;
  readonly #listener: Listener;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** What came while there was no room. */
  #pending: Uint8Array[] = [];
  /** Whether the object has more than it has sent. */
  #objectHasMore = false;

  constructor(stream: OpenStream, listener: Listener) {
    this.#stream = stream;
    this.#listener = listener;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    controller.enqueue(GREETING);
    const { events, slot, renew } = this.#stream;
    events.binaryType = "arraybuffer";
    events.addEventListener("message", ({ data }) => this.#onMessage(data));
    for (const socket of new Set([events, slot])) {
      socket.addEventListener("close", () => this.end());
      socket.addEventListener("error", () => this.end());
      socket.accept();
    }
    this.#repeat(HEARTBEAT_INTERVAL_MS, () => this.#send(HEARTBEAT));
    this.#repeat(ACCESS_CHECK_INTERVAL_MS, () => this.#checkAccess());
    this.#repeat(RENEW_INTERVAL_MS, renew);
  }

  /** The client may have room. */
  flush(): void {
    for (let next = this.#pending[0]; next && this.#hasRoom; next = this.#pending[0]) {
      this.#pending.shift();
      this.#controller?.enqueue(next);
    }
    if (!this.#objectHasMore || !this.#hasRoom) return;
    this.#objectHasMore = false;
    this.#stream.events.send(MORE_MESSAGE);
  }

  /** Ends everything, once. */
  end(): void {
    if (!this.#controller) return;
    const controller = this.#controller;
    this.#controller = null;
    this.#pending = [];
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of new Set([this.#stream.events, this.#stream.slot])) closeQuietly(socket);
    try {
      controller.close();
    } catch {
      // The client has closed it.
    }
  }

  #onMessage(data: unknown): void {
    if (data instanceof ArrayBuffer) return this.#send(new Uint8Array(data));
    this.#objectHasMore = true;
    this.flush();
  }

  #send(bytes: Uint8Array): void {
    if (!this.#controller) return;
    this.#pending.push(bytes);
    this.flush();
    if (this.#pending.reduce((sum, { length }) => sum + length, 0) > LAG_MAX_BYTES) this.end();
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  async #checkAccess(): Promise<void> {
    const { id, isStillAllowed } = this.#listener;
    const now = Date.now();
    let known = accessCache.get(id);
    if (!known || now - known.at >= ACCESS_CHECK_INTERVAL_MS) {
      // Noted before the answer is there, or all whose timers go off meanwhile would ask too: they go by the one before.
      accessCache.set(id, { at: now, allowed: known?.allowed ?? true });
      known = { at: now, allowed: await isStillAllowed() };
      accessCache.set(id, known);
    }
    if (!known.allowed) this.end();
  }

  /** What fails is tried again the next time: a database that is down ends no streams. */
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
    // It is closed already.
  }
}
