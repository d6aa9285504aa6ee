/** The dimensions of a click: what statistics can be grouped by. The first four are the specification's. */
export const GROUPINGS = [
  "country",
  "device",
  "referrer",
  "rule",
  "continent",
  "region",
  "city",
  "os",
  "browser",
  "language",
  "destination",
  "source",
  "qr",
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Most bins a series may have. */
export const SERIES_BINS_MAX = 2_000;
/** Most buckets that are listed by name; the rest are added up in one. */
export const BUCKETS_MAX = 1_000;

/** Keys for what is not known or does not apply. */
export const UNKNOWN_KEY = "unknown";
export const DIRECT_KEY = "direct";
export const NO_QR_KEY = "none";
export const OTHER_KEY = "other";
