/** Waiting that ends early when it is no longer wanted. */

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/** A page that nobody sees asks for nothing. */
export function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (!document.hidden || signal.aborted) return done();
    const end = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", end);
      signal.removeEventListener("abort", end);
      done();
    };
    document.addEventListener("visibilitychange", end);
    signal.addEventListener("abort", end);
  });
}
