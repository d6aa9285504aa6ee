/** Decodes an export file to text. Bounded, because a file may contain anything. */
import { UnreadableFileError } from "./source-link.ts";

/**
 * Fits 100,000 links of a verbose JSON export. The whole file is in memory, since any two of its links may collide.
 * @internal
 */
export const IMPORT_FILE_MAX_BYTES = 64 * 1024 * 1024;

export interface FileText {
  text: string;
  /** If this is not UTF-8, people should check names and titles with accents. */
  encoding: "utf-8" | "utf-16" | "windows-1252";
}

/** The first bytes of files that people select instead of text: ZIP and XLSX, XLS, gzip, PDF, SQLite. */
const BINARY_STARTS = ["PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0", "\u001f\u008b", "%PDF", "SQLite format 3"];

/** @throws UnreadableFileError */
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
