/**
 * The types of an import: what a service's export looks like (the tables are in services.ts), the entries of a file, and the
 * links that they become.
 */
import type { CreateLink } from "../contract/links.ts";

export type Fields = ReadonlyMap<string, unknown>;

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

/** A link of a file, whose `domain` is in its stored form. */
export interface ReadLink extends SourceLink {
  /** The line of a CSV file, or the number of the entry in JSON and SQL, from 1. */
  at: number;
  /** Hoplink has no passwords: without it, everybody would see the destination. */
  hasPassword: boolean;
}

export interface RefusedLink extends Reason {
  at: number;
  /** As in the file, shortened; empty where there is none. */
  address: string;
}

/** What a service calls the parts of a link: names of columns, of which the first that is filled is read. */
export type ServiceColumns = { url: readonly string[] } & {
  [Column in
    | "shortUrl"
    | "moreShortUrls"
    | "domain"
    | "slug"
    | "title"
    | "tags"
    | "startsAt"
    | "expiresAt"
    | "fallbackUrl"
    | "forwardQuery"
    | "dropsQuery"]?: readonly string[];
};

export type RuleKind = "ios" | "android" | "devices" | "countries" | "split" | "variants";

export interface ImportedService {
  title: string;
  /** Columns by which a file is recognized: it has all that one of these names. */
  marks: readonly string[];
  /** A column that another service's file with these marks has. */
  unlike?: string;
  columns: ServiceColumns;
  /** Targeting, in the order in which it applies there, each with the columns that it is read from. */
  rules?: readonly (readonly [kind: RuleKind, ...names: string[]])[];
  /** Between tags in one text. By default any of comma, semicolon and bar. */
  tagSeparators?: RegExp;
  /** Links with this column filled are refused. */
  refused?: { column: string; reason: string; advice: string };
  /** What cannot be imported, by its name for people. Reported where a link has one of the columns. */
  lost: Readonly<Record<string, string>>;
  /** Columns that say nothing about what a link does. What else is filled is reported as not read. */
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

export interface ExportEntry {
  at: number;
  content: Fields | Reason;
}

/** What the readers of CSV, JSON and SQL return. */
export interface Entries {
  unit: "line" | "entry";
  /** Names of the first entry as the file writes them, for people. */
  names: readonly string[];
  entries: ExportEntry[];
}

/** What is wrong with a file as a whole. */
export interface UnreadableFile {
  problem: string;
  /** Whether another format may read it. */
  isOtherFormat?: true;
}

/** Thrown by the readers. `readExport` returns its message as the problem. */
export class UnreadableFileError extends Error {}

export function tooManyLinks(): UnreadableFileError {
  return new UnreadableFileError(
    `The file has more than ${IMPORT_LINKS_MAX} links, or far too many empty lines. Split it, and import one part after the other.`,
  );
}

export function tooManyColumns(): UnreadableFileError {
  return new UnreadableFileError(`The file has more than ${COLUMNS_MAX} columns.`);
}
