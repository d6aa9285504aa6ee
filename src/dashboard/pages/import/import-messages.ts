/** What the page and its worker send each other. A reply to the page comes on the port of its message. */
import type { Mode } from "../../../core/account.ts";
import type { ReadExport } from "../../../core/imports/read-export.ts";
import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import type { ImportProgress } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/services.ts";

/** A file without its links, which stay in the worker. */
export interface FileSummary extends Pick<ReadExport, "format" | "encoding" | "unit" | "lost" | "unread"> {
  /** Short domains of the links, with their number; empty for links that name none. Most links first. */
  domains: { name: string; links: number }[];
  withRules: number;
  withPassword: number;
}

export interface PreviewRow {
  at: number;
  /** Short address there; empty where the row could not be read. */
  source: string;
  /** Short address here; empty where it is refused. */
  target: string;
  url: string;
  problem: string;
}

export interface Preview {
  rows: PreviewRow[];
  ready: number;
  refused: number;
  /** The account's domains that would take more links if their slugs were case-sensitive. */
  caseCollisions: string[];
}

export interface RunSettings {
  mode: Mode;
  options: ImportOptions;
  account: ImportAccount;
  isDryRun: boolean;
}

export type ToWorker =
  /** Reply: `FileSummary` or `UnreadableFile`. */
  | { type: "read"; file: File; format: FormatName | null }
  /** Reply: `Preview`. */
  | { type: "preview"; options: ImportOptions; account: ImportAccount }
  /** Reply: `ImportReport`. */
  | ({ type: "run" } & RunSettings)
  | { type: "cancel" };

/** While an import runs. */
export type WorkerEvent =
  | { type: "progress"; progress: ImportProgress }
  | { type: "wait"; wait: { reason: string; seconds: number } }
  | { type: "signed_out" };
