/**
 * Limits wrong passwords of a link by network and in total. Every attempt is charged before it is checked, and taken
 * back if it was right. Refused attempts are not charged, so they do not prolong the lock. Pure: the clock is an
 * argument.
 */
import { MINUTE_MS } from "../time.ts";

/** @internal */
export const PASSWORD_ATTEMPTS_MAX = { network: 10, link: 100 } as const;
const PASSWORD_WINDOW_MS = 10 * MINUTE_MS;

/** Charged attempts in order of time: when (epoch ms), and a keyed digest of the network. */
export type ChargedAttempts = readonly (readonly [at: number, network: string])[];

/** The attempts that still count. At most `PASSWORD_ATTEMPTS_MAX.link`, since more are refused. */
export function countedAttempts(attempts: ChargedAttempts, now: number): ChargedAttempts {
  return attempts.filter(([at]) => at + PASSWORD_WINDOW_MS > now);
}

/** When the link accepts attempts of every network again, epoch ms; null while it does. */
export function lockedUntil(attempts: ChargedAttempts, now: number): number | null {
  return fullUntil(countedAttempts(attempts, now), PASSWORD_ATTEMPTS_MAX.link);
}

/** Charges an attempt. @returns when the network may try again, epoch ms, if it may not now */
export function chargeAttempt(
  attempts: ChargedAttempts,
  network: string,
  now: number,
): { charged: ChargedAttempts } | { refusedUntil: number } {
  const counted = countedAttempts(attempts, now);
  const own = counted.filter(([, other]) => other === network);
  const untils = [fullUntil(counted, PASSWORD_ATTEMPTS_MAX.link), fullUntil(own, PASSWORD_ATTEMPTS_MAX.network)].filter(
    (until) => until !== null,
  );
  return untils.length > 0 ? { refusedUntil: Math.max(...untils) } : { charged: [...counted, [now, network]] };
}

/** Undoes the last charge of a network. */
export function takeBackAttempt(attempts: ChargedAttempts, network: string): ChargedAttempts {
  const last = attempts.findLastIndex(([, other]) => other === network);
  return attempts.filter((_, i) => i !== last);
}

function fullUntil(counted: ChargedAttempts, max: number): number | null {
  const oldest = counted[counted.length - max];
  return oldest ? oldest[0] + PASSWORD_WINDOW_MS : null;
}
