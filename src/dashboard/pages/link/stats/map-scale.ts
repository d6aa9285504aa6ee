/**
 * Color levels of the world map. The scale is logarithmic, so that one country with most of the clicks does not leave
 * all others in the lowest level. Pure.
 */
const MAP_LEVELS = 5;

/** 0 for no clicks, then 1 to 5; the maximum is always 5. */
export function mapLevel(clicks: number, maxClicks: number): number {
  if (clicks <= 0) return 0;
  if (maxClicks <= 1) return MAP_LEVELS;
  return 1 + Math.floor((MAP_LEVELS - 1) * (Math.log(clicks) / Math.log(maxClicks)) + 1e-9);
}

/** The lowest number of clicks for each level in use, ascending. */
export function levelStarts(maxClicks: number): { level: number; from: number }[] {
  const starts: { level: number; from: number }[] = [];
  for (let level = 1; level <= MAP_LEVELS; level++) {
    const from = maxClicks <= 1 ? maxClicks : Math.ceil(maxClicks ** ((level - 1) / (MAP_LEVELS - 1)) - 1e-9);
    if (from >= 1 && mapLevel(from, maxClicks) === level) starts.push({ level, from });
  }
  return starts;
}
