/**
 * Reads another service's export file: which format it is, its links, what is refused, and what cannot come along. Pure.
 * Links are not validated here but as they are planned, where the domain is known.
 */
import { normalizedDomain } from "../domains/domain-name.ts";
import { tagKey } from "../links/case-folding.ts";
import { TAG_MAX_CHARS, TAGS_MAX, TITLE_MAX_CHARS } from "../limits.ts";
import { csvEntries } from "./csv-entries.ts";
import {
  type Entries,
  type ServiceFormat,
  type Fields,
  type FormatName,
  IMPORT_LINKS_MAX,
  type ImportedContent,
  type ReadLink,
  type Refusal,
  shortened,
  TOO_MANY,
} from "./source-link.ts";
import { fieldName, isFilled, textOf } from "./fields.ts";
import { fileText, type FileText, unknownFile, type UnreadableFile } from "./file-text.ts";
import { FORMATS, recognizedFormat } from "./formats.ts";
import { isJson, jsonEntries } from "./json-entries.ts";
import { isSql, sqlEntries } from "./sql-entries.ts";

export interface ReadExport {
  format: FormatName;
  encoding: FileText["encoding"];
  unit: Entries["unit"];
  links: ReadLink[];
  refused: Refusal[];
  /** What cannot come along, by its name for people, with the number of links that have it. */
  lost: Record<string, number>;
  /** Filled fields that no one knows, as the file writes them. */
  unread: string[];
}

const UNREAD_MAX = 30;

/** @param wanted  the format, where it is named; else it is recognized */
export function readExport(bytes: Uint8Array, wanted: FormatName | null): ReadExport | UnreadableFile {
  const file = fileText(bytes);
  if ("problem" in file) return file;
  const found = entriesOf(file.text, null);
  if ("problem" in found) return found;
  const names = new Set(found.names.map(fieldName));
  const recognized = recognizedFormat(names);
  if (recognized === (wanted ?? recognized) && recognized !== null)
    return readEntries(found, recognized, file.encoding);
  if (wanted === null) return unknownFile(found.names);
  const { defaultColumns, title } = FORMATS[wanted];
  const unnamed = defaultColumns && found.unit === "line" ? entriesOf(file.text, defaultColumns) : null;
  if (unnamed && !("problem" in unnamed)) return readEntries(unnamed, wanted, file.encoding);
  return {
    problem: `This is not an export file of ${title}. It begins with: ${shortened(found.names.join(", "), 200)}.`,
    isOtherFormat: true,
  };
}

function entriesOf(text: string, columns: readonly string[] | null): Entries | UnreadableFile {
  if (isJson(text)) return jsonEntries(text);
  return isSql(text) ? sqlEntries(text) : csvEntries(text, columns);
}

function readEntries(
  { unit, names, entries }: Entries,
  format: FormatName,
  encoding: FileText["encoding"],
): ReadExport | UnreadableFile {
  const { read, ...shape } = FORMATS[format];
  const tally = new LossTally(shape, names);
  const result: ReadExport = { format, encoding, unit, links: [], refused: [], lost: tally.lost, unread: tally.unread };
  for (const { at, content } of entries) {
    if ("reason" in content) {
      result.refused.push({ at, address: "", ...content });
      continue;
    }
    const links = read(content);
    if ("reason" in links) {
      result.refused.push({ at, address: shortened(textOf(content, ...ADDRESS_FIELDS)), ...links });
      continue;
    }
    if (result.links.length + links.length > IMPORT_LINKS_MAX) return TOO_MANY;
    tally.add(content);
    const hasPassword = isFilled(content.get("password")) || isFilled(content.get("haspassword"));
    for (const link of links) {
      const domain = link.domain === null ? null : normalizedDomain(link.domain);
      result.links.push({ at, domain, slug: link.slug, hasPassword, content: tally.fitted(link.content) });
    }
  }
  return result;
}

const ADDRESS_FIELDS = ["shortlink", "link", "shorturl", "address", "slug", "keyword", "shortcode", "key", "path"];

/** Counts what cannot come along. */
class LossTally {
  readonly lost: Record<string, number> = {};
  readonly unread: string[] = [];
  private readonly known: ReadonlySet<string>;
  private readonly losses: ReadonlyMap<string, string>;
  private readonly namesInFile: ReadonlyMap<string, string>;
  private readonly unreadFields = new Set<string>();

  constructor({ used, ignored, lost }: Pick<ServiceFormat, "used" | "ignored" | "lost">, names: readonly string[]) {
    this.known = new Set(`${used} ${ignored}`.split(" "));
    this.losses = new Map(Object.entries(lost));
    this.namesInFile = new Map(names.map((name) => [fieldName(name), name]));
  }

  add(fields: Fields): void {
    const lostHere = new Set<string>();
    for (const [name, value] of fields) {
      if (this.known.has(name) || !isFilled(value)) continue;
      const loss = this.losses.get(name);
      if (loss !== undefined) lostHere.add(loss);
      else this.addUnread(name);
    }
    for (const loss of lostHere) this.count(loss);
  }

  /** Texts that are longer here than Hoplink takes are cut: an old title must not keep a link from moving. */
  fitted(content: ImportedContent): ImportedContent {
    const { title, tags, ...rest } = content;
    const fittedTitle = this.fittedTitle(title ?? "");
    const fittedTags = this.fittedTags(tags ?? []);
    return {
      ...rest,
      ...(fittedTitle === "" ? {} : { title: fittedTitle }),
      ...(fittedTags.length === 0 ? {} : { tags: fittedTags }),
    };
  }

  private fittedTitle(title: string): string {
    const clean = cleanText(title);
    const fitted = Array.from(clean.slice(0, 2 * TITLE_MAX_CHARS))
      .slice(0, TITLE_MAX_CHARS)
      .join("")
      .trim();
    if (fitted.length < clean.length) this.count(`titles beyond ${TITLE_MAX_CHARS} characters (cut)`);
    return fitted;
  }

  private fittedTags(tags: readonly string[]): string[] {
    const byKey = new Map<string, string>();
    const short = tags.filter((tag) => tag.length <= TAG_MAX_CHARS).map(cleanText);
    for (const tag of short) if (tag !== "" && !byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
    const fitted = [...byKey.values()].slice(0, TAGS_MAX);
    if (short.length < tags.length || byKey.size > fitted.length) {
      this.count(`tags beyond ${TAGS_MAX}, or longer than ${TAG_MAX_CHARS} characters`);
    }
    return fitted;
  }

  private addUnread(name: string): void {
    if (this.unreadFields.size >= UNREAD_MAX || this.unreadFields.has(name)) return;
    this.unreadFields.add(name);
    this.unread.push(shortened(this.namesInFile.get(name) ?? name, 40));
  }

  private count(loss: string): void {
    this.lost[loss] = (this.lost[loss] ?? 0) + 1;
  }
}

/** Line breaks and other control characters become spaces; half an emoji goes. */
function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}
