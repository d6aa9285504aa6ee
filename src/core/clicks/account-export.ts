/** Requests and pages of an account's clicks, in the order of time, between the API and the account's object. Plain data. */
import type { AccountFilter } from "./filters.ts";
import type { RowFormat } from "./click-rows.ts";
import type { ClickPlace } from "./click-place.ts";

export interface AccountClicksRequest {
  format: RowFormat;
  /** The rows begin after it; null for all. */
  after: ClickPlace | null;
  /** Most rows; null when all are wanted. */
  limit: number | null;
  /** Only clicks of the half-open range, epoch ms; null where it is not bounded. */
  from: number | null;
  to: number | null;
  /** All must hold, on every page. */
  filters?: AccountFilter[];
  /** As the first page has it; null in the request for that. */
  end: number | null;
}

export interface AccountClicksPage {
  /** Rows, in UTF-8. */
  bytes: Uint8Array;
  rows: number;
  /** Of the last click that was looked at: where the next page begins. As it was sent where there was none. */
  next: ClickPlace | null;
  /** Whether no click follows. */
  isLast: boolean;
  /** Only clicks before are in it, so that all pages are of one moment, epoch ms. */
  end: number;
  /** Clicks from `after` to `end`, whether they match or not. */
  clicks: number;
}
