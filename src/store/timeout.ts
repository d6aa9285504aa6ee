/** Storage does not answer, or not yet. The caller may retry. */
export class UnavailableError extends Error {}

/** A storage call (D1, R2 or a Durable Object) exceeded its time limit. The API answers 503 with `Retry-After`. */
export class TimeoutError extends UnavailableError {}

/** Rejects with TimeoutError after `timeoutMs`. The work is not cancelled; its result is discarded. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** Whether a fetch was ended by `AbortSignal.timeout`. */
export function isFetchTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
