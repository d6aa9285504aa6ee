/** Runs tasks, so many at once; the others wait in order. A task that is aborted while it waits is never started. */

type Limited = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function limitConcurrency(max: number): Limited {
  let running = 0;
  const waiting: (() => void)[] = [];

  const place = (signal: AbortSignal) =>
    new Promise<void>((start, reject) => {
      signal.throwIfAborted();
      if (running < max) {
        running++;
        return start();
      }
      const enter = () => {
        signal.removeEventListener("abort", leave);
        start();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(enter);
    });

  return async (task, signal) => {
    await place(signal);
    try {
      return await task();
    } finally {
      // The place passes on to the task that waits longest, without becoming free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
