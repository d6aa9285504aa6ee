/** Formats numbers and chooses plural forms in English, like the dashboard's texts. Also the numbers of an axis. */

import { once } from "../../core/memory/caches.ts";

const pluralRules = once(() => new Intl.PluralRules("en"));
const countFormat = once(() => new Intl.NumberFormat("en"));
const shareFormat = once(
  () => new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const changeFormat = once(
  () => new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" }),
);

export function formatCount(count: number): string {
  // Up to here, digits alone: creating the format takes 30 ms, in the first paint of a list.
  return Number.isInteger(count) && count < 1_000 ? String(count) : countFormat().format(count);
}

function bytesFormat(unit: "megabyte" | "gigabyte"): Intl.NumberFormat {
  return new Intl.NumberFormat("en", { style: "unit", unit, maximumFractionDigits: 1 });
}

/** In megabytes, or gigabytes from the first one on. */
export function formatBytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  return megabytes < 1_000
    ? bytesFormat("megabyte").format(megabytes)
    : bytesFormat("gigabyte").format(megabytes / 1_000);
}

const LEAST_SHARE = 0.001;

/**
 * With one decimal, so that the digits of a column are aligned. A share below a tenth of a percent is not shown as nothing.
 * @param share  from 0 to 1
 */
export function formatShare(share: number): string {
  return share > 0 && share < LEAST_SHARE ? `<${shareFormat().format(LEAST_SHARE)}` : shareFormat().format(share);
}

/** The change of a count, e.g. `+12%`. @param before  not 0 */
export function formatChange(count: number, before: number): string {
  return changeFormat().format((count - before) / before);
}

const AXIS_STEPS_MAX = 5;

/** The numbers of an axis from 0 to at least `most`, in whole steps of 1, 2, 2.5 or 5 times a power of ten. */
export function axisTicks(most: number): number[] {
  const least = Math.max(1, most / AXIS_STEPS_MAX);
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = [1, 2, 2.5, 5, 10].map((digit) => digit * power);
  const step = steps.find((each) => each >= least && Number.isInteger(each)) ?? least;
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, i) => i * step);
}

/** The form that the language uses with this count, with the count in place of its `#`. */
export function plural(count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string {
  return (forms[pluralRules().select(count)] ?? forms.other).replace("#", formatCount(count));
}
