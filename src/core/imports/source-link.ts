/** Links of another service's export file, in Hoplink's words, and what an export format must tell about itself. */
import type { CreateLink } from "../contract/links.ts";
import type { Fields } from "./fields.ts";

export const FORMAT_NAMES = ["dub", "bitly", "short-io", "kutt", "sink", "shlink", "yourls"] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What a link does, without its address. */
export type LinkContent = Omit<CreateLink, "slug" | "domain">;

export interface SourceLink {
  /** Host name at the other service; null where the file does not tell. */
  domain: string | null;
  /** As it is written there, also where Hoplink cannot have it. */
  slug: string;
  content: LinkContent;
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
export type PlacedLink = SourceLink & Placed & Protection;

/** `address` is as in the file, shortened; empty where there is none. */
export type Refusal = Reason & Placed & { address: string };

export interface ExportFormat {
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
