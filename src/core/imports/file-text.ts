/** Bytes of an export file as text. Bounded, because a file may be anything. */
import { shortened } from "./source-link.ts";

/** 100,000 links of a verbose JSON export. The whole file is held in memory, since any two of its links may collide. */
export const IMPORT_FILE_MAX_BYTES = 64 * 1024 * 1024;

/** What is wrong with a file as a whole. */
export interface UnreadableFile {
  problem: string;
  /** Whether another format may read it. */
  isOtherFormat?: true;
}

export interface FileText {
  text: string;
  /** Other than UTF-8: names and titles with accents should be looked at. */
  encoding: "utf-8" | "utf-16" | "windows-1252";
}

/** The first bytes of files that people send instead of text: ZIP and XLSX, XLS, gzip, PDF, SQLite. */
const BINARY_STARTS = ["PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0", "\u001f\u008b", "%PDF", "SQLite format 3"];

export function fileText(bytes: Uint8Array): FileText | UnreadableFile {
  if (bytes.length > IMPORT_FILE_MAX_BYTES) return fileTooLarge(bytes.length);
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (BINARY_STARTS.some((binary) => start.startsWith(binary))) {
    return { problem: "This is a spreadsheet or an archive, not text. Unpack it, or save it as CSV." };
  }
  const decoded = decode(bytes);
  if (decoded.text.slice(0, 4_096).includes("\0")) {
    return { problem: "This is not a text file. Export the links as CSV, JSON or SQL." };
  }
  if (decoded.text.trim() === "") return { problem: "The file is empty." };
  return decoded;
}

export function fileTooLarge(bytes: number): UnreadableFile {
  const mebibytes = (size: number) => Math.ceil(size / (1024 * 1024));
  return {
    problem: `The file has ${mebibytes(bytes)} MiB, and at most ${mebibytes(IMPORT_FILE_MAX_BYTES)} can be read at once. Export the links in parts, without their clicks.`,
  };
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

/** A file whose content is no export: what its beginning looks like helps to see which file was chosen. */
export function unknownFile(names: readonly string[]): UnreadableFile {
  const seen = names.length === 0 ? "" : ` It begins with: ${shortened(names.join(", "), 200)}.`;
  return {
    problem: `This does not look like an export file of a known service.${seen} If it is one, choose its format.`,
    isOtherFormat: true,
  };
}
