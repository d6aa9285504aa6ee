/**
 * Types of an import: the form of a service's export (the tables are in services.ts), the entries of a file, and the
 * links that they become.
 */
import type { ImportedClick } from "../contract/click-imports.ts";
import type { CreateLink } from "../contract/links.ts";

export type Fields = ReadonlyMap<string, unknown>;

/** A link's content without its address. */
export type ImportedContent = Omit<CreateLink, "slug" | "domain">;

export interface SourceAddress {
  /** Host name at the other service; null if the file does not contain it. */
  domain: string | null;
  /** As in the file, even if Hoplink cannot have this slug. */
  slug: string;
}

export interface SourceLink extends SourceAddress {
  /** The link's other addresses. */
  aliases: SourceAddress[];
  content: ImportedContent;
  /** Sum of the clicks at the other service, if it exports no single ones. */
  clicks?: number;
}

/** Why something cannot be imported, and what its owner can do. */
export interface Reason {
  reason: string;
  advice: string;
}

/** A link of a file, whose domains are in their stored form. */
export interface ReadLink extends SourceLink {
  /** Line of a CSV file, or number of the entry in JSON and SQL, from 1. */
  at: number;
  /** Most services export no passwords, or only hashes: without one in its content, the link is imported paused. */
  hasPassword: boolean;
}

export interface RefusedLink extends Reason {
  at: number;
  /** As in the file, shortened; empty if there is none. */
  address: string;
}

/** A service's names for the parts of a link: columns, of which the first that is filled is read. */
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
    | "dropsQuery"
    | "archived"
    | "password"
    | "cardTitle"
    | "cardDescription"
    | "cardImage"
    | "clicks"]?: readonly string[];
};

/** A part of a single click. `human` is the opposite of `bot`. */
export type ClickPart = keyof ImportedClick | "shortUrl" | "domain" | "slug" | "human";

/** A service's names for the parts of a click, where they differ from ours. */
export type ClickColumns = { [Part in ClickPart]?: readonly string[] };

/** Lists of columns by which a file is recognized: it has all columns of one list. */
export interface Recognition {
  marks: readonly string[];
  /** A column that only another file with these marks has. */
  unlike?: string;
  /** Columns of a file without a header. */
  defaultColumns?: readonly string[];
}

export type RuleKind = "ios" | "android" | "devices" | "countries" | "split" | "variants";

export interface ImportedService extends Recognition {
  title: string;
  columns: ServiceColumns;
  /** A column without which a link's card is not shown. */
  cardIf?: string;
  /** The service's file of single clicks. */
  clicks?: Recognition & { columns: ClickColumns };
  /** Targeting in the service's order of precedence, each with the columns from which it is read. */
  rules?: readonly (readonly [kind: RuleKind, ...names: string[]])[];
  /** Separates tags in one text. By default any of comma, semicolon and bar. */
  tagSeparators?: RegExp;
  /** Links with this column filled are refused. */
  refused?: { column: string; reason: string; advice: string };
  /** Content that cannot be imported, by a name for people. Reported if a link has one of the columns. */
  lost: Readonly<Record<string, string>>;
  /** Columns that do not affect a link's behavior. Any other filled column is reported as not read. */
  ignored: string;
}

const ADDRESS_SHOWN_CHARS = 80;

export function shortened(text: string, maxChars = ADDRESS_SHOWN_CHARS): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

/** More links would not fit into the browser's memory for a preview. Sending them would also take an hour. */
export const IMPORT_LINKS_MAX = 100_000;

/** A destination has at most 8,192 characters, and a link with many rules 64 KiB. */
export const ENTRY_MAX_CHARS = 128 * 1024;

/** Every column takes time in each row. */
export const COLUMNS_MAX = 200;

export interface ExportEntry {
  at: number;
  content: Fields | Reason;
}

/** The result of the CSV, JSON and SQL readers. */
export interface Entries {
  unit: "line" | "entry";
  /** Names in the first entry, as in the file, for people. */
  names: readonly string[];
  entries: ExportEntry[];
}

/** A problem with a file as a whole. */
export interface UnreadableFile {
  problem: string;
  /** Whether the file may be readable in another format. */
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
