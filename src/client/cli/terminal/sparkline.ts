/** A row of bars, one a value. Pure. */
const BARS = "▁▂▃▄▅▆▇█";

/** @param width  when there are more values, neighbours are added up */
export function sparkline(values: readonly number[], width: number): string {
  const shown = squeezed(values, width);
  const most = Math.max(...shown, 1);
  return shown.map((value) => BARS[barOf(value / most)]).join("");
}

/** Whatever is there is seen: only zero has the lowest bar. */
function barOf(share: number): number {
  return share <= 0 ? 0 : Math.max(1, Math.round(share * (BARS.length - 1)));
}

function squeezed(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  const sums = Array.from({ length: width }, () => 0);
  for (const [i, value] of values.entries()) {
    const place = Math.floor((i * width) / values.length);
    sums[place] = (sums[place] ?? 0) + value;
  }
  return sums;
}
