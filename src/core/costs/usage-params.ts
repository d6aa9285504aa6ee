/** The calculator's inputs: their bounds, and as the query of the page's address. Pure. */
import { MONTH_HOURS, type Usage } from "./monthly-costs.ts";

export interface UsageInput {
  label: string;
  /** The largest value; the smallest is 0. */
  max: number;
  /** What is shown at first. */
  usual: number;
}

export const USAGE_INPUTS: Record<keyof Usage, UsageInput> = {
  visits: { label: "Visits a month", max: 1e12, usual: 10_000_000 },
  alonePercent: { label: "Clicks stored alone, in percent", max: 100, usual: 50 },
  links: { label: "New links a month", max: 1e9, usual: 10_000 },
  qrCodes: { label: "New QR codes a month", max: 1e9, usual: 1_000 },
  streamHours: { label: "Hours a month with a live stream open", max: MONTH_HOURS, usual: 0 },
};

export const USAGE_NAMES = Object.keys(USAGE_INPUTS) as (keyof Usage)[];

/** What an address does not say, or says wrong, is as usual. */
export function parseUsage(search: URLSearchParams): Usage {
  const parse = (name: keyof Usage) => parseNumber(search.get(name), USAGE_INPUTS[name]);
  return Object.fromEntries(USAGE_NAMES.map((name) => [name, parse(name)])) as unknown as Usage;
}

/** Without what is as usual. */
export function writeUsage(usage: Usage): URLSearchParams {
  const changed = USAGE_NAMES.filter((name) => usage[name] !== USAGE_INPUTS[name].usual);
  return new URLSearchParams(changed.map((name) => [name, String(usage[name])]));
}

function parseNumber(text: string | null, { max, usual }: UsageInput): number {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), max) : usual;
}
