/**
 * Reads another service's export file: its format, its links, refused entries, and content that cannot be imported.
 * Pure. Links are validated later, when they are planned and their domain is known.
 */
import { MEMBERS_IN } from "../contract/link-members.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { tagKey } from "../links/case-folding.ts";
import type { SocialCard } from "../links/link-members.ts";
import {
  SOCIAL_DESCRIPTION_MAX_CHARS,
  SOCIAL_TITLE_MAX_CHARS,
  TAG_MAX_CHARS,
  TAGS_MAX,
  TITLE_MAX_CHARS,
} from "../limits.ts";
import { csvEntries, isJson, jsonEntries, isSql, sqlEntries } from "./entries.ts";
import { fieldName, filled, isFilled, readLink, textOf } from "./read-link.ts";
import { type FormatName, lossesByColumn, recognizedFormat, SERVICES } from "./services.ts";
import {
  type Entries,
  type Fields,
  IMPORT_LINKS_MAX,
  type ImportedContent,
  type ReadLink,
  type RefusedLink,
  shortened,
  type SourceAddress,
  tooManyLinks,
  type UnreadableFile,
  UnreadableFileError,
} from "./source-link.ts";

export interface ReadExport {
  format: FormatName;
  encoding: FileText["encoding"];
  unit: Entries["unit"];
  links: ReadLink[];
  refused: RefusedLink[];
  /** Content that cannot be imported, by a name for people, with the number of affected links. */
  lost: Record<string, number>;
  /** Names of filled fields that are not known, as in the file. */
  unread: string[];
}

const UNREAD_MAX = 30;
const SEEN_MAX_CHARS = 200;

/** @param wanted  the chosen format; null: it is recognized */
export function readExport(bytes: Uint8Array, wanted: FormatName | null): ReadExport | UnreadableFile {
  try {
    const { text, encoding } = fileText(bytes);
    const found = entriesOf(text);
    const recognized = recognizedFormat(new Set(found.names.map(fieldName)));
    if (recognized !== null && (wanted === null || wanted === recognized)) {
      return readEntries(found, recognized, encoding);
    }
    const unnamed = wanted !== null && found.unit === "line" ? SERVICES[wanted].defaultColumns : undefined;
    if (wanted !== null && unnamed) return readEntries(csvEntries(text, unnamed), wanted, encoding);
    return otherFormat(wanted, shortened(found.names.join(", "), SEEN_MAX_CHARS));
  } catch (error) {
    if (error instanceof UnreadableFileError) return { problem: error.message };
    throw error;
  }
}

function entriesOf(text: string): Entries {
  if (isJson(text)) return jsonEntries(text);
  return isSql(text) ? sqlEntries(text) : csvEntries(text, null);
}

/** @param seen  the beginning of the file, so that people see which one they have chosen */
function otherFormat(wanted: FormatName | null, seen: string): UnreadableFile {
  const begins = seen === "" ? "" : ` It begins with: ${seen}.`;
  const problem =
    wanted === null
      ? `This does not look like an export file of a known service.${begins} If it is one, choose its format.`
      : `This is not an export file of ${SERVICES[wanted].title}.${begins}`;
  return { problem, isOtherFormat: true };
}

const ADDRESS_FIELDS = ["shortlink", "link", "shorturl", "address", "slug", "keyword", "shortcode", "key", "path"];

function readEntries(
  { unit, names, entries }: Entries,
  format: FormatName,
  encoding: FileText["encoding"],
): ReadExport {
  const service = SERVICES[format];
  const lossOf = lossesByColumn(service);
  const namesInFile = new Map(names.map((name) => [fieldName(name), name]));
  const read: ReadExport = { format, encoding, unit, links: [], refused: [], lost: {}, unread: [] };
  const unread = new Set<string>();
  for (const { at, content } of entries) {
    const link = "reason" in content ? content : readLink(content, service);
    if ("reason" in link) {
      const address = "reason" in content ? "" : shortened(textOf(content, ADDRESS_FIELDS));
      read.refused.push({ at, address, ...link });
      continue;
    }
    const fields = content as Fields;
    const losses = new Set<string>();
    for (const [name, value] of fields) {
      const loss = lossOf.get(name);
      if (loss === null || !isFilled(value)) continue;
      if (loss !== undefined) losses.add(loss);
      else if (unread.size < UNREAD_MAX) unread.add(name);
    }
    const hasPassword = isFilled(fields.get("password")) || isFilled(fields.get("haspassword"));
    const aliases = link.aliases.map(normalized);
    read.links.push({ at, ...link, ...normalized(link), aliases, hasPassword, content: fitted(link.content, losses) });
    if (hasPassword && link.content.password === undefined) losses.add("passwords");
    if (read.links.length > IMPORT_LINKS_MAX) throw tooManyLinks();
    for (const loss of losses) read.lost[loss] = (read.lost[loss] ?? 0) + 1;
  }
  read.unread = [...unread].map((name) => shortened(namesInFile.get(name) ?? name, 40));
  return read;
}

function normalized({ domain, slug }: SourceAddress): SourceAddress {
  return { slug, domain: domain === null ? null : normalizedDomain(domain) };
}

/** Shortens texts that exceed Hoplink's limits: an old title must not prevent the import of a link. */
function fitted(found: ImportedContent, losses: Set<string>): ImportedContent {
  const { title, tags = [], social, ...content } = found;
  const fittedTitle = fittedText(title, TITLE_MAX_CHARS, "titles", losses);
  const card = fittedCard(social ?? {}, losses);
  const wanted = tags ?? [];
  const short = wanted.filter((tag) => tag.length <= TAG_MAX_CHARS).map(cleanText);
  const byKey = new Map<string, string>();
  for (const tag of short) if (tag !== "" && !byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  const fittedTags = [...byKey.values()].slice(0, TAGS_MAX);
  if (short.length < wanted.length || fittedTags.length < byKey.size) {
    losses.add(`tags beyond ${TAGS_MAX}, or longer than ${TAG_MAX_CHARS} characters`);
  }
  return {
    ...content,
    ...filled({ title: fittedTitle, tags: fittedTags, social: Object.keys(card).length > 0 ? card : null }),
  };
}

function fittedCard({ title, description, image }: SocialCard, losses: Set<string>): SocialCard {
  const isUsable = MEMBERS_IN.social.safeParse({ image }).success;
  if (!isUsable) losses.add("preview images without an https URL");
  return filled({
    title: fittedText(title, SOCIAL_TITLE_MAX_CHARS, "preview titles", losses),
    description: fittedText(description, SOCIAL_DESCRIPTION_MAX_CHARS, "preview descriptions", losses),
    image: isUsable ? image : "",
  });
}

function fittedText(text: string | null | undefined, max: number, name: string, losses: Set<string>): string {
  const clean = cleanText(text ?? "");
  // Must not leave half of a surrogate pair.
  const cut = Array.from(clean.slice(0, 2 * max))
    .slice(0, max)
    .join("")
    .trim();
  if (cut.length < clean.length) losses.add(`${name} beyond ${max} characters (cut)`);
  return cut;
}

/** Line breaks and other control characters become spaces; half surrogate pairs are replaced. */
function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/**
 * Fits 100,000 links of a verbose JSON export. The whole file is in memory, since any two of its links may collide.
 * @internal
 */
export const IMPORT_FILE_MAX_BYTES = 64 * 1024 * 1024;

interface FileText {
  text: string;
  /** If this is not UTF-8, people should check names and titles with accents. */
  encoding: "utf-8" | "utf-16" | "windows-1252";
}

/** The first bytes of files that people select instead of text: ZIP and XLSX, XLS, gzip, PDF, SQLite. */
const BINARY_STARTS = ["PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0", "\u001f\u008b", "%PDF", "SQLite format 3"];

/** Decodes an export file, which may contain anything. @throws UnreadableFileError */
export function fileText(bytes: Uint8Array): FileText {
  requireImportSize(bytes.length);
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (BINARY_STARTS.some((binary) => start.startsWith(binary))) {
    throw new UnreadableFileError("This is a spreadsheet or an archive, not text. Unpack it, or save it as CSV.");
  }
  const decoded = decode(bytes);
  if (decoded.text.slice(0, 4_096).includes("\0")) {
    throw new UnreadableFileError("This is not a text file. Export the links as CSV, JSON or SQL.");
  }
  if (decoded.text.trim() === "") throw new UnreadableFileError("The file is empty.");
  return decoded;
}

/** Call this before a file is read into memory. @throws UnreadableFileError */
export function requireImportSize(bytes: number): void {
  if (bytes <= IMPORT_FILE_MAX_BYTES) return;
  const mebibytes = (size: number) => Math.ceil(size / (1024 * 1024));
  throw new UnreadableFileError(
    `The file has ${mebibytes(bytes)} MiB. The maximum is ${mebibytes(IMPORT_FILE_MAX_BYTES)} MiB. Export the links in parts, without their clicks.`,
  );
}

/** Excel writes UTF-16 as "Unicode text", and Windows-1252 as plain CSV. */
function decode(bytes: Uint8Array): FileText {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder("utf-16le").decode(bytes), encoding: "utf-16" };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder("utf-16be").decode(bytes), encoding: "utf-16" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes), encoding: "utf-8" };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252" };
  }
}
