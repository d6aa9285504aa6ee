/** Clients of the live stream inside workerd: they read the Worker's stream, event by event. */
import { exports } from "cloudflare:workers";
import { createParser, type EventSourceMessage } from "eventsource-parser";

import { ClickEvent } from "../../src/core/contract/streams.ts";
import { type TestAccount, BASE_URL } from "./test-accounts.ts";

const TIMEOUT_MS = 10_000;

export class StreamListener {
  readonly response: Response;
  /** Everything received, as text. */
  text = "";
  readonly events: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  retry: number | undefined;
  /** Id of the last event, as seen by parsers that drop an id without data. */
  lastId: string | undefined;
  isClosed = false;
  /** Why it broke off, unless it ended properly. */
  failure: unknown;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #clicks: ClickEvent[] = [];
  #parsed = 0;
  #wake: () => void = () => {};

  constructor(response: Response) {
    if (!response.body) throw new Error("no body");
    this.response = response;
    this.#reader = response.body.getReader();
    void this.#read();
  }

  get clicks(): ClickEvent[] {
    for (; this.#parsed < this.events.length; this.#parsed++) {
      const message = this.events[this.#parsed];
      if (message?.event === "click") this.#clicks.push(ClickEvent.parse(JSON.parse(message.data)));
    }
    return [...this.#clicks];
  }

  /** Waits until something holds for the received events. */
  async waitUntil(holds: (listener: this) => boolean, what: string, timeoutMs = TIMEOUT_MS): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!holds(this)) {
      if (performance.now() > deadline)
        throw new Error(`not in ${timeoutMs} ms: ${what}. Came:\n${this.text.slice(-2_000)}`);
      await new Promise<void>((done) => {
        this.#wake = done;
        setTimeout(done, 50); // The deadline is checked even if nothing arrives.
      });
    }
  }

  /** The clicks, once there are at least `count`. */
  async waitForClicks(count: number): Promise<ClickEvent[]> {
    await this.waitUntil(({ clicks }) => clicks.length >= count, `${count} clicks`);
    return this.clicks;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: (event) => {
        this.events.push(event);
        this.lastId = event.id;
      },
      onComment: (comment) => this.comments.push(comment),
      onRetry: (retry) => (this.retry = retry),
    });
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        const text = decoder.decode(value, { stream: true });
        this.text += text;
        parser.feed(text);
        this.#wake();
      }
    } catch (error) {
      this.failure = error;
    } finally {
      this.isClosed = true;
      this.#wake();
    }
  }
}

/** Opens a stream that must open. */
export async function openListener(
  actor: Pick<TestAccount, "key">,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<StreamListener> {
  const response = await exports.default.fetch(`${BASE_URL}/v1/events/stream?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${actor.key}`, ...headers },
  });
  if (response.status !== 200) throw new Error(`no stream: ${response.status} ${await response.text()}`);
  return new StreamListener(response);
}
