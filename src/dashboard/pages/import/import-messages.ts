/** Messages between the page and its worker. A reply to the page arrives on the port of its message. */
import type { Mode } from "../../../core/account.ts";
import type { ReadExport } from "../../../core/imports/read-export.ts";
import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import type { ImportProgress } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/services.ts";
import type { Wait } from "../../api/waits.ts";

/** A file without its links, which stay in the worker. */
export interface FileSummary extends Pick<ReadExport, "format" | "encoding" | "unit" | "lost" | "unread"> {
  /** Short domains of the links, with the number of links, most first; the empty name counts links without a domain. */
  domains: { name: string; links: number }[];
  withRules: number;
  withPassword: number;
  /** Clicks at the other service, if the file has their sums. */
  clicks: number;
}

export interface PreviewRow {
  at: number;
  /** Short address at the other service; empty if the row was unreadable. */
  source: string;
  /** Short address here; empty if the link is refused. */
  target: string;
  url: string;
  problem: string;
}

export interface Preview {
  rows: PreviewRow[];
  ready: number;
  refused: number;
  /** Domains of the account on which more of the links could be created if their slugs were case-sensitive. */
  caseCollisions: string[];
}

export interface RunSettings {
  mode: Mode;
  options: ImportOptions;
  account: ImportAccount;
  isDryRun: boolean;
  /** Single clicks of the links. */
  clicks: File | null;
}

export type ToWorker =
  /** Reply: `FileSummary` or `UnreadableFile`. */
  | { type: "read"; file: File; format: FormatName | null }
  /** Reply: `Preview`. */
  | { type: "preview"; options: ImportOptions; account: ImportAccount }
  /** Reply: `ImportReport`. */
  | ({ type: "run" } & RunSettings)
  | { type: "cancel" };

/** Sent while an import runs. */
export type WorkerEvent =
  | { type: "progress"; progress: ImportProgress }
  | { type: "wait"; wait: Wait }
  | { type: "signed_out" };
