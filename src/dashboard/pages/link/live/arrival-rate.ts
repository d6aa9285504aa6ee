/** Whether clicks come too fast to be shown one by one. Pure. */

/** More clicks than this in one second: a row that fades in would be pushed away before it can be read. */
const READABLE_PER_SECOND = 2;
const SECOND_MS = 1_000;

/** The arrivals of the last second. @param arrivals  epoch ms, ascending */
export function recentArrivals(arrivals: readonly number[], added: number, now: number): number[] {
  return [...arrivals.filter((at) => at > now - SECOND_MS), ...Array.from({ length: added }, () => now)];
}

export function isTooFast(arrivals: readonly number[]): boolean {
  return arrivals.length > READABLE_PER_SECOND;
}
