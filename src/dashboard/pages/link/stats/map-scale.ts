/**
 * Colours of the world map: five steps, each the same factor above the one before, so that one large country does not
 * leave all others pale. Pure.
 */
const MAP_LEVELS = 5;

/** 0 for no clicks, then 1 to 5; the largest is always 5. */
export function mapLevel(clicks: number, most: number): number {
  if (clicks <= 0) return 0;
  if (most <= 1) return MAP_LEVELS;
  return 1 + Math.floor((MAP_LEVELS - 1) * (Math.log(clicks) / Math.log(most)) + 1e-9);
}

/** The least clicks of each level that a country can have, ascending. */
export function levelStarts(most: number): { level: number; from: number }[] {
  const starts: { level: number; from: number }[] = [];
  for (let level = 1; level <= MAP_LEVELS; level++) {
    const from = most <= 1 ? most : Math.ceil(most ** ((level - 1) / (MAP_LEVELS - 1)) - 1e-9);
    if (from >= 1 && mapLevel(from, most) === level) starts.push({ level, from });
  }
  return starts;
}
