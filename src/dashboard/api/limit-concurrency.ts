/** Runs a limited number of tasks at a time; others wait in order. A task aborted while it waits never starts. */

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
      // The slot passes directly to the task that has waited longest, without becoming free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
