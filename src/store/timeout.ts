/** Storage does not answer, or cannot yet: a caller may try again later. */
export class UnavailableError extends Error {}

/** Storage took longer than its caller can wait. */
export class TimeoutError extends UnavailableError {}

/** Gives up on work that takes longer than a redirect or a batch may wait. The work itself goes on unobserved. @throws TimeoutError */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** Whether a fetch ended because `AbortSignal.timeout` did. */
export function isFetchTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
