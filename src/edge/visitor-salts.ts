/**
 * The salts of visitors' hashes in this isolate, which asks the maintenance object for them about once a day. No redirect
 * waits for them: the sender of a batch does, for a moment. Like the recorder's, its state is plain data, as no request may
 * await what belongs to another.
 */
import { VisitorHashes } from "../core/visitors/visitor-hashes.ts";
import { readVisitorSalts } from "../store/maintenance-client.ts";
import { withTimeout } from "../store/timeout.ts";

/** How long a sender waits. Longer, and clicks would be missing in statistics. */
export const SALT_WAIT_MAX_MS = 2_000;
/** Between two tries of an isolate when the object does not answer, or has no salt. */
const RETRY_MS = 10_000;
const POLL_MS = 50;

export class VisitorSalts {
  readonly #hashes = new VisitorHashes();
  /** When the request that asks counts as cancelled. */
  #askingUntil = 0;
  #pausedUntil = 0;

  /** @returns null where visitors are not told apart */
  hashesFor(env: Env): VisitorHashes | null {
    return env.VISITOR_SALTS ? this.#hashes : null;
  }

  /** Waits until the salt of a UTC day is known, at most SALT_WAIT_MAX_MS. Never throws. */
  async load(env: Env, day: number): Promise<void> {
    const startedAt = performance.now();
    for (let now = startedAt; !this.#hashes.has(day); now = performance.now()) {
      const leftMs = startedAt + SALT_WAIT_MAX_MS - now;
      if (leftMs <= 0 || now < this.#pausedUntil) return;
      if (now < this.#askingUntil) await new Promise((done) => setTimeout(done, POLL_MS));
      else await this.#ask(env, day, leftMs);
    }
  }

  async #ask(env: Env, day: number, timeoutMs: number): Promise<void> {
    this.#askingUntil = performance.now() + timeoutMs;
    try {
      this.#hashes.learn(await withTimeout(timeoutMs, readVisitorSalts(env)));
    } catch (error) {
      console.warn("visitors not counted: no salt of the day", { error: String(error) });
    }
    this.#askingUntil = 0;
    if (!this.#hashes.has(day)) this.#pausedUntil = performance.now() + RETRY_MS;
  }
}
