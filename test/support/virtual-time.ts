/**
 * Timers and `performance.now()` that move only on request: minutes of thousands of senders pass in seconds. For code
 * whose promises need no I/O. (Vitest's own fake timers wait a real turn of the event loop for each timer.)
 */

/** More than the longest chain of promises that one timer starts. */
const MICROTASK_TURNS = 30;

interface Timer {
  at: number;
  run: () => void;
}

export class VirtualTime {
  #now = 0;
  /** Timers by the ms in which they are due. */
  readonly #due = new Map<number, Timer[]>();
  readonly #real = { setTimeout, clearTimeout, now: performance.now };

  constructor() {
    const setVirtual = (run: () => void, ms = 0) => this.#set(run, ms);
    const clearVirtual = (timer: Timer | undefined) => timer && (timer.run = () => {});
    Object.assign(globalThis, { setTimeout: setVirtual, clearTimeout: clearVirtual });
    performance.now = () => this.#now;
  }

  /** Restores the real clock. */
  restore(): void {
    const { setTimeout, clearTimeout, now } = this.#real;
    Object.assign(globalThis, { setTimeout, clearTimeout });
    performance.now = now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((done) => this.#set(done, ms));
  }

  /** Lets `ms` pass, with everything that falls due. */
  async advance(ms: number): Promise<void> {
    await drainMicrotasks();
    for (const end = this.#now + ms; this.#now < end;) {
      this.#now++;
      for (const timer of this.#due.get(this.#now) ?? []) {
        timer.run();
        await drainMicrotasks();
      }
      this.#due.delete(this.#now);
    }
  }

  #set(run: () => void, ms: number): Timer {
    const timer = { at: Math.ceil(this.#now + Math.max(ms, 1)), run };
    const due = this.#due.get(timer.at);
    if (due) due.push(timer);
    else this.#due.set(timer.at, [timer]);
    return timer;
  }
}

async function drainMicrotasks(): Promise<void> {
  for (let i = 0; i < MICROTASK_TURNS; i++) await Promise.resolve();
}
