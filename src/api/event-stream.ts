/**
 * The body of a live stream: passes on what the object behind it sends, keeps the connection alive, and ends when the
 * client leaves or falls behind, when the caller may no longer listen, or when an object ends it. Whatever ends one of
 * the three (client, sockets, timers) ends all: nothing is left open behind a client that is gone.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { MORE } from "../core/live-stream.ts";
import type { OpenStream } from "../store/streams.ts";

/** Who listens. */
interface Listener {
  /** Streams with the same one are allowed or not together. */
  id: string;
  isStillAllowed: () => Promise<boolean>;
}

const RETRY_MS = 2_000;
const HEARTBEAT_MS = 15_000;
/** Twice this, and the time of a look-up, is how long a revoked key may go on; ten seconds are promised. */
const CHECK_MS = 4_000;
const RENEW_MS = 3_600_000;

/** So much waits here for a client that is catching up; then it is not read on for. */
const BUFFER_BYTES = 64 * 1024;
/** A live client for which so much more waits is cut off: it comes back and catches up at its own pace. */
const LAG_MAX_BYTES = 512 * 1024;

const CHECKED_LISTENERS = 1_000;
/** Streams of one caller in this isolate ask once for all of them. `at` is when it was last asked, epoch ms. */
const checked = new GenerationCache<{ at: number; allowed: boolean }>(CHECKED_LISTENERS);

const encoder = new TextEncoder();
const GREETING = encoder.encode(`retry: ${RETRY_MS}\n: welcome\n\n`);
const HEARTBEAT = encoder.encode(": heartbeat\n\n");

export function eventStream(stream: OpenStream, signal: AbortSignal, listener: Listener): ReadableStream<Uint8Array> {
  const connection = new Connection(stream, listener);
  signal.addEventListener("abort", () => connection.end());
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => connection.start(controller),
      pull: () => connection.goOn(),
      cancel: () => connection.end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  );
}

class Connection {
  readonly #stream: OpenStream;
  readonly #listener: Listener;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** What came while there was no room. */
  #waiting: Uint8Array[] = [];
  /** Whether the object has more than it has sent. */
  #isBehind = false;

  constructor(stream: OpenStream, listener: Listener) {
    this.#stream = stream;
    this.#listener = listener;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    controller.enqueue(GREETING);
    const { events, seat, renew } = this.#stream;
    events.binaryType = "arraybuffer";
    events.addEventListener("message", ({ data }) => this.#heard(data));
    for (const socket of new Set([events, seat])) {
      socket.addEventListener("close", () => this.end());
      socket.addEventListener("error", () => this.end());
      socket.accept();
    }
    this.#every(HEARTBEAT_MS, () => this.#pass(HEARTBEAT));
    this.#every(CHECK_MS, () => this.#check());
    this.#every(RENEW_MS, renew);
  }

  /** The client may have room. */
  goOn(): void {
    for (let next = this.#waiting[0]; next && this.#hasRoom; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#controller?.enqueue(next);
    }
    if (!this.#isBehind || !this.#hasRoom) return;
    this.#isBehind = false;
    this.#stream.events.send(MORE);
  }

  /** Ends everything, once. */
  end(): void {
    if (!this.#controller) return;
    const controller = this.#controller;
    this.#controller = null;
    this.#waiting = [];
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of new Set([this.#stream.events, this.#stream.seat])) closeQuietly(socket);
    try {
      controller.close();
    } catch {
      // The client has closed it.
    }
  }

  #heard(data: unknown): void {
    if (data instanceof ArrayBuffer) return this.#pass(new Uint8Array(data));
    this.#isBehind = true;
    this.goOn();
  }

  #pass(bytes: Uint8Array): void {
    if (!this.#controller) return;
    this.#waiting.push(bytes);
    this.goOn();
    if (this.#waiting.reduce((sum, { length }) => sum + length, 0) > LAG_MAX_BYTES) this.end();
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  async #check(): Promise<void> {
    const { id, isStillAllowed } = this.#listener;
    const now = Date.now();
    let known = checked.get(id);
    if (!known || now - known.at >= CHECK_MS) {
      // Noted before the answer is there, or all whose timers go off meanwhile would ask too: they go by the one before.
      checked.set(id, { at: now, allowed: known?.allowed ?? true });
      known = { at: now, allowed: await isStillAllowed() };
      checked.set(id, known);
    }
    if (!known.allowed) this.end();
  }

  /** What fails is tried again the next time: a database that is down ends no streams. */
  #every(ms: number, chore: () => void | Promise<void>): void {
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
