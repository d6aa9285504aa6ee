/** What the readers of CSV, JSON and SQL have in common: entries with their place and their fields. */
import type { Fields } from "./fields.ts";
import type { Reason } from "./source-link.ts";

/** More would not fit into what the browser holds for a preview, and takes an hour to send. */
export const IMPORT_LINKS_MAX = 100_000;

/** A destination has 8,192 characters at most, and a link with many rules 64 KiB. */
export const ENTRY_MAX_CHARS = 128 * 1024;

/** Each row is read by all of them. */
export const COLUMNS_MAX = 200;

export const TOO_MANY_COLUMNS = { problem: `The file has more than ${COLUMNS_MAX} columns.` };

export interface Entry {
  at: number;
  content: Fields | Reason;
}

export interface Entries {
  unit: "line" | "entry";
  /** Names of the first entry as the file writes them, for people. */
  names: readonly string[];
  entries: Entry[];
}

export const TOO_MANY = {
  problem: `The file has more than ${IMPORT_LINKS_MAX} links, or far too many empty lines. Split it, and import one part after the other.`,
};
