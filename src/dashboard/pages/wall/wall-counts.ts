/** Counts of the clicks that the stream has sent. Pure. Times are epoch ms. */

/** Older ones are forgotten: the statistics have them by then. */
const KEPT_MS = 15 * 60_000;

export function addArrivals(times: readonly number[], added: readonly number[], now: number): number[] {
  return [...times.filter((at) => at > now - KEPT_MS), ...added];
}

export function arrivalsIn(times: readonly number[], from: number, to: number): number {
  return times.filter((at) => at >= from && at < to).length;
}
