/** What the page and its worker say to each other. */
import type { UnreadableFile } from "../../../core/imports/file-text.ts";
import type { ReadExport } from "../../../core/imports/read-export.ts";
import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import type { ImportApi, ImportProgress, ImportReport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/source-link.ts";

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
  options: ImportOptions;
  account: ImportAccount;
  linksUsed: number;
  isDryRun: boolean;
}

export type ApiCall = {
  [Method in keyof ImportApi]: { method: Method; argument: Parameters<ImportApi[Method]>[0] };
}[keyof ImportApi];

export type ToWorker =
  | { type: "read"; file: File; format: FormatName | null }
  | { type: "preview"; options: ImportOptions; account: ImportAccount }
  | ({ type: "run" } & RunSettings)
  | { type: "cancel" }
  | { type: "answer"; id: number; result: { value: unknown } | { error: string } };

export type FromWorker =
  | { type: "file"; result: FileSummary | UnreadableFile }
  | { type: "preview"; preview: Preview }
  | { type: "progress"; progress: ImportProgress }
  | { type: "report"; report: ImportReport }
  | { type: "call"; id: number; call: ApiCall };
