/** Storage took longer than its caller can wait. */
export class NoAnswer extends Error {}

/** Gives up on work that takes longer than a redirect or a batch may wait. The work itself goes on unheard. @throws NoAnswer */
export async function within<T>(patienceMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer in ${patienceMs} ms`)), patienceMs);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/** Whether a fetch ended because `AbortSignal.timeout` did. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
