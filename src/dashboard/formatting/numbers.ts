/** Formats numbers and chooses plural forms in English, like the dashboard's texts. */

const PLURAL_RULES = new Intl.PluralRules("en");
const COUNT_FORMAT = new Intl.NumberFormat("en");
const SHARE_FORMAT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const CHANGE_FORMAT = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

export function formatCount(count: number): string {
  return COUNT_FORMAT.format(count);
}

const BYTES_FORMATS = (["megabyte", "gigabyte"] as const).map(
  (unit) => new Intl.NumberFormat("en", { style: "unit", unit, maximumFractionDigits: 1 }),
);

/** In megabytes, or gigabytes from the first one on. */
export function formatBytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  const [small, large] = BYTES_FORMATS;
  return (megabytes < 1_000 ? small?.format(megabytes) : large?.format(megabytes / 1_000)) ?? "";
}

const LEAST_SHARE = 0.001;

/** A share below a tenth of a percent is not shown as nothing. @param share  from 0 to 1 */
export function formatShare(share: number): string {
  return share > 0 && share < LEAST_SHARE ? `<${SHARE_FORMAT.format(LEAST_SHARE)}` : SHARE_FORMAT.format(share);
}

/** The change of a count, e.g. `+12%`. @param before  not 0 */
export function formatChange(count: number, before: number): string {
  return CHANGE_FORMAT.format((count - before) / before);
}

/** The form that the language uses with this count, with the count in place of its `#`. */
export function plural(count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string {
  return (forms[PLURAL_RULES.select(count)] ?? forms.other).replace("#", formatCount(count));
}
