/** Waiting for the effects of another process that does not announce them. */

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * Checks repeatedly until something holds.
 * @param what  for the error
 * @throws Error when it does not hold in time
 */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  what: string,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  // Tests set the wall clock; this one keeps running.
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in ${timeoutMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** For a rate of requests and the like; use `eventually` for anything that can be checked. */
export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
