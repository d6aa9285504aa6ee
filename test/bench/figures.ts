/** The benchmark's report: figures with a target, printed as one table or written as JSON. */

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** As `>= 0.8` or `<= 25`; none if the figure is for information. */
  target?: string;
}

export function isMet({ value, target }: Figure): boolean {
  const [sign, bound] = target?.split(" ") ?? [];
  if (bound === undefined) return true;
  return sign === ">=" ? value >= Number(bound) : value <= Number(bound);
}

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    formatValue(figure.value),
    figure.unit,
    figure.target ?? "",
    figure.target === undefined ? "" : isMet(figure) ? "ok" : "MISSED",
  ]);
  const all = [["figure", "value", "unit", "target", ""], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

export function formatValue(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
