/** Waiting for what another process does, and tells nobody. */

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * Asks again and again until something holds.
 * @param what  for the error
 * @throws Error when it does not hold in time
 */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  what: string,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  // Tests set the wall clock; this one goes on.
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in ${timeoutMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** For a rate of requests and the like: what can be waited for is waited for with `eventually`. */
export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
