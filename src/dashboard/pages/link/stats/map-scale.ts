/**
 * Color levels of the world map and of the busiest hours. The scale is logarithmic between the fewest and the most
 * clicks, so that one large count does not leave all others in the lowest level, and begins each level at a round
 * number. Pure.
 */
const LEVELS = 5;

export interface LevelStart {
  level: number;
  /** The lowest number of clicks of the level. */
  from: number;
}

/**
 * The levels in use, ascending; the last one is always 5. None without clicks.
 * @param least  the lowest count that is shown; not 0
 */
export function levelStarts(most: number, least = 1): LevelStart[] {
  if (most < 1) return [];
  const ratio = most / least;
  const steps = Array.from({ length: LEVELS }, (_, n) => rounded(least * ratio ** (n / (LEVELS - 1)), ratio));
  const distinct = [...new Set(steps)];
  return distinct.map((from, n) => ({ level: LEVELS - distinct.length + n + 1, from }));
}

/** 0 for no clicks, or fewer than the first level has. */
export function levelOf(clicks: number, starts: readonly LevelStart[]): number {
  return starts.findLast(({ from }) => clicks >= from)?.level ?? 0;
}

/** Rounded down, more finely if the counts are close to each other. */
function rounded(count: number, ratio: number): number {
  const unit = 10 ** Math.floor(Math.log10(count) + 1e-9);
  const digits = ratio >= 100 ? [1, 2, 5] : Array.from({ length: 9 }, (_, n) => n + 1);
  if (ratio < 5) digits.push(...Array.from({ length: 90 }, (_, n) => (n + 10) / 10));
  const steps = digits.map((digit) => Math.round(digit * unit)).filter((step) => step >= 1 && step <= count + 1e-9);
  return Math.max(1, ...steps);
}
