/** Waits that a signal can end. */

/** @throws the signal's reason */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      fail(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      done();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The longest possible timer: longer ones fire immediately. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A signal that follows another one and also has a timer. Not every Node 20 has `AbortSignal.any`. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  hasPassed = false;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts after this many ms, unless it is set again or stopped before. */
  set(ms: number): void {
    this.stop();
    this.#timer = setTimeout(
      () => {
        this.hasPassed = true;
        this.#controller.abort(new Error(`no data arrived for ${ms} ms`));
      },
      Math.min(ms, TIMER_MAX_MS),
    );
  }

  /** Stops only the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Stops following the other signal. */
  end(): void {
    this.stop();
    this.#outer?.removeEventListener("abort", this.#abort);
  }

  abort(): void {
    this.end();
    this.#controller.abort();
  }
}
