/** Posts events to a receiver, each until it has it. */
import { setTimeout as wait } from "node:timers/promises";

import { backoffMs } from "../../../core/retries.ts";
import { retryAfterMs } from "../../retries.ts";
import { Deadline } from "../../waiting.ts";
import { Failure } from "../failure.ts";
import { webhookHeaders } from "./webhook-signature.ts";

/** As Standard Webhooks advise. */
const TIMEOUT_MS = 20_000;
const BACKOFF = { firstMs: 1_000, longestMs: 60_000 };
const RETRY_AFTER_MAX_MS = 3_600_000;
/** By which a receiver says that it wants no more, ever. */
const GONE = 410;

interface ReceiverSettings {
  url: string;
  key: Buffer;
  signal: AbortSignal;
  /** Told before each wait. */
  onRetry: (why: string, waitMs: number) => void;
}

interface Refusal {
  why: string;
  retryAfterMs: number | null;
}

export class Receiver {
  readonly #settings: ReceiverSettings;

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /** @param id  by which the receiver knows an event again that it has had @throws Failure when it wants none */
  async send(id: string, event: unknown): Promise<void> {
    const { signal, onRetry } = this.#settings;
    const body = JSON.stringify(event);
    for (let tries = 1; ; tries++) {
      const refusal = await this.#attempt(id, body);
      if (!refusal) return;
      const askedMs = Math.min(refusal.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
      const waitMs = Math.max(askedMs, backoffMs(tries, Math.random(), BACKOFF));
      onRetry(refusal.why, waitMs);
      await wait(waitMs, undefined, { signal });
    }
  }

  /** @returns null when the receiver has taken it */
  async #attempt(id: string, body: string): Promise<Refusal | null> {
    const { url, key, signal } = this.#settings;
    const deadline = new Deadline(signal);
    deadline.set(TIMEOUT_MS);
    try {
      const headers = webhookHeaders(key, id, Date.now(), body);
      const init = {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: deadline.signal,
      } as const;
      const response = await fetch(url, init);
      await response.body?.cancel();
      if (response.ok) return null;
      if (response.status === GONE) throw new Failure(`${url} answered 410: it wants no more events`);
      const asked = retryAfterMs(response.headers.get("Retry-After"), Date.now());
      return { why: `${url} answered ${response.status}`, retryAfterMs: asked };
    } catch (error) {
      if (error instanceof Failure) throw error;
      signal.throwIfAborted();
      return { why: deadline.hasPassed ? `${url} took too long` : `${url} does not answer`, retryAfterMs: null };
    } finally {
      deadline.end();
    }
  }
}
