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

/** As long as a person waits. D1 stalls for up to a minute while it moves a database. */
const ANSWER_TIMEOUT_MS = 5_000;

/** What a request reads, of a database that may stall. @throws TimeoutError, which the API answers with 503 */
export function answerInTime<T>(answer: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_TIMEOUT_MS, answer);
}

/** Longer than a read may take: a request may write a hundred links with their histories. */
const WRITE_TIMEOUT_MS = 10_000;

/** The same of what a request writes. It may be written later. */
export function writtenInTime<T>(write: Promise<T>): Promise<T> {
  return withTimeout(WRITE_TIMEOUT_MS, write);
}

/** Whether a fetch was ended by `AbortSignal.timeout`. */
export function isFetchTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
