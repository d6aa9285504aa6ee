/**
 * Links of another service's export file, in Hoplink's words; what a format must tell about itself; and the entries that
 * the readers of CSV, JSON and SQL return.
 */
import type { CreateLink } from "../contract/links.ts";

export type Fields = ReadonlyMap<string, unknown>;

export const FORMAT_NAMES = ["dub", "bitly", "short-io", "kutt", "sink", "shlink", "yourls"] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What a link does, without its address. */
export type ImportedContent = Omit<CreateLink, "slug" | "domain">;

export interface SourceLink {
  /** Host name at the other service; null where the file does not tell. */
  domain: string | null;
  /** As it is written there, also where Hoplink cannot have it. */
  slug: string;
  content: ImportedContent;
}

/** Why something cannot come along, and what its owner can do. */
export interface Reason {
  reason: string;
  advice: string;
}

/** A link as it was read. */
interface Protection {
  /** Hoplink has no passwords: without it, everybody would see the destination. */
  hasPassword: boolean;
}

/** Where a link stands: the line of a CSV file, or the number of the entry in JSON and SQL, from 1. */
interface Placed {
  at: number;
}

/** `domain` is in its stored form. */
export type ReadLink = SourceLink & Placed & Protection;

/** `address` is as in the file, shortened; empty where there is none. */
export type Refusal = Reason & Placed & { address: string };

export interface ServiceFormat {
  title: string;
  /** By the names of a CSV header or of a JSON entry, as `fieldName` writes them. */
  recognizes: (names: ReadonlySet<string>) => boolean;
  /** One entry is one link, or several: a service may give a link more than one address. */
  read: (fields: Fields) => SourceLink[] | Reason;
  /** Fields that `read` uses, separated by spaces. */
  used: string;
  /** Fields that cannot come along, with their names for people. Told where a link has one. */
  lost: Readonly<Record<string, string>>;
  /** Fields that say nothing about what a link does, or are part of others. What else is filled is reported as not read. */
  ignored: string;
  /** Columns of a file without a header. */
  defaultColumns?: readonly string[];
}

const ADDRESS_SHOWN_CHARS = 80;

export function shortened(text: string, maxChars = ADDRESS_SHOWN_CHARS): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

/** More would not fit into what the browser holds for a preview, and takes an hour to send. */
export const IMPORT_LINKS_MAX = 100_000;

/** A destination has 8,192 characters at most, and a link with many rules 64 KiB. */
export const ENTRY_MAX_CHARS = 128 * 1024;

/** Each row is read by all of them. */
export const COLUMNS_MAX = 200;

export const TOO_MANY_COLUMNS = { problem: `The file has more than ${COLUMNS_MAX} columns.` };

export interface ExportEntry {
  at: number;
  content: Fields | Reason;
}

export interface Entries {
  unit: "line" | "entry";
  /** Names of the first entry as the file writes them, for people. */
  names: readonly string[];
  entries: ExportEntry[];
}

export const TOO_MANY = {
  problem: `The file has more than ${IMPORT_LINKS_MAX} links, or far too many empty lines. Split it, and import one part after the other.`,
};
