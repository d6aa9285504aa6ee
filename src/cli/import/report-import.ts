/** What an import says: about the file, and how it went. Texts of the file are from strangers and may hold controls. */
import { figure } from "../../core/limits.ts";
import type { ReadExport } from "../../core/imports/read-export.ts";
import type { ImportReport } from "../../core/imports/run-import.ts";
import { SERVICES } from "../../core/imports/services.ts";
import { escapeControls } from "../report.ts";

export function describeFile({ format, links, refused, lost, unread, encoding }: ReadExport): string {
  const lines = [
    `${SERVICES[format].title}: ${figure(links.length)} links, ${figure(refused.length)} rows that cannot be read`,
  ];
  if (encoding !== "utf-8") lines.push(`The file is ${encoding}, not UTF-8: look at titles with accents.`);
  const losses = Object.entries(lost).map(([name, links_]) => `${name} (${figure(links_)})`);
  if (losses.length > 0) lines.push(`Not imported: ${losses.join("; ")}.`);
  if (unread.length > 0) lines.push(`Not known and not read: ${unread.join(", ")}.`);
  return escapeLines(lines);
}

export function describeReport({ unit }: ReadExport, report: ImportReport, isDryRun: boolean): string {
  const would = isDryRun ? "would be " : "";
  const refused = report.refused.map(
    ({ at, address, reason, advice }) => `${unit} ${at}: ${address === "" ? "" : `${address}: `}${reason} ${advice}`,
  );
  const differs = report.differs.map(
    ({ at, address, members }) =>
      `${unit} ${at}: ${address}: is already here with different ${members.join(", ")} (--update overwrites it)`,
  );
  const totals = [
    `${figure(report.created)} ${would}created`,
    `${figure(report.updated)} ${would}changed`,
    `${figure(report.unchanged)} already here`,
    `${figure(report.differs.length)} already here, but different`,
    `${figure(report.refused.length)} refused`,
  ];
  const lines = [...refused, ...differs, totals.join(", ")];
  if (report.stopped !== null) {
    lines.push(
      `Stopped: ${report.stopped} ${figure(report.notSent)} links were not sent. Run the same command again to go on.`,
    );
  }
  return escapeLines(lines);
}

/** For programs. */
export function jsonReport({ format, unit, lost, unread }: ReadExport, report: ImportReport, isDryRun: boolean) {
  return { format, unit, dry_run: isDryRun, ...report, not_sent: report.notSent, notSent: undefined, lost, unread };
}

function escapeLines(lines: readonly string[]): string {
  return lines.map(escapeControls).join("\n");
}
