/**
 * What `work` came to within one minute of the rate limiter, whose minutes are the wall clock's: work in which one ended
 * is done anew, so it makes all that it counts, the account included.
 */
export async function withinRateLimitWindow<T>(work: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const begun = minute();
    const done = await work();
    if (minute() === begun) return done;
  }
}
