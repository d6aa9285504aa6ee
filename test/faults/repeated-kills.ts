/** Kills a server under load, again and again. */
import type { FaultyServer } from "./faulty-server.ts";
import type { Visit, Visitors } from "./visitors.ts";

/** Clicks that were answered at least this long before a kill are kept. */
const GRACE_MS = 1_000;

/** A kill, with times by `performance.now()`. */
export interface Kill {
  at: number;
  restartedAt: number;
}

/** @param perSecond  rate of visits @param beforeKill  called before each, with the number of previous kills */
export async function killRepeatedly(
  server: FaultyServer,
  visitors: Visitors,
  { times, perSecond }: { times: number; perSecond: number },
  beforeKill: (kills: number) => Promise<void> = async () => {},
): Promise<Kill[]> {
  const kills: Kill[] = [];
  while (kills.length < times) {
    await beforeKill(kills.length);
    // Longer than a second, so that some visits were answered long before the kill: the promise covers those.
    await visitors.waitForVisits(perSecond * (1.3 + Math.random() * 0.7));
    const at = performance.now();
    await server.kill();
    kills.push({ at, restartedAt: performance.now() });
  }
  await visitors.waitForVisits(perSecond / 2);
  return kills;
}

/** Whether a visit was answered so shortly before a kill that its click may be lost. */
export function isAnsweredJustBefore(kills: readonly Kill[], { response }: Visit): boolean {
  return kills.some(
    ({ at, restartedAt }) => response !== null && response.at > at - GRACE_MS && response.at < restartedAt,
  );
}
