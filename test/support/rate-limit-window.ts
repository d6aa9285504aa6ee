/**
 * The result of `work` within one minute of the rate limiter, whose minutes follow the wall clock. Work in which a
 * minute ended is repeated, so it must create everything that it counts, the account included.
 */
export async function withinRateLimitWindow<T>(work: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const begun = minute();
    const done = await work();
    if (minute() === begun) return done;
  }
}

/** Counts `count` requests of this minute against a name, without making them. */
export async function spend(limit: RateLimit, name: string, count: number): Promise<void> {
  const key = `${name}:${Math.floor(Date.now() / 60_000)}`;
  await Promise.all(Array.from({ length: count }, () => limit.limit({ key })));
}
