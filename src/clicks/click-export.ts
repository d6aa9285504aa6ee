/**
 * Pages of an export of clicks, as the text of their rows: the Worker, whose CPU is scarcer, passes it on as it is.
 * Writes nothing. Loaded only for that.
 */
import { clickRow } from "../core/clicks/click-rows.ts";
import type { ExportRequest, ExportResult, ListedClick } from "../core/clicks/link-object-rpc.ts";
import { wireClick } from "../core/clicks/wire-click.ts";
import type { ClickReader } from "./click-reader.ts";
import { readMatching } from "./matching-clicks.ts";

export type ExportPage = typeof exportPage;

/** A page ends with the row that reaches it: some 2,500 clicks, in ten to thirty milliseconds. */
const EXPORT_PAGE_CHARS = 1024 * 1024;

export async function exportPage(
  reader: ClickReader,
  request: ExportRequest,
  isOpen: () => boolean,
): Promise<ExportResult> {
  const { format, after, limit, from, to, filters = [] } = request;
  if (request.end !== null && request.end > reader.count) return { kind: "erased_meanwhile" };
  const positions = reader.positionsOf(after, from, to);
  const { first } = positions;
  const end = request.end ?? positions.end;
  let [text, rows] = ["", 0];
  const take = (click: ListedClick) => {
    text += clickRow(format, wireClick(click));
    rows++;
    return rows === limit || text.length >= EXPORT_PAGE_CHARS;
  };
  const next =
    filters.length > 0
      ? await readMatching({ reader, filters, first, end, isOpen }, take)
      : readAll(reader, first, end, take);
  if (next === null) return { kind: "erased_meanwhile" };
  return {
    kind: "exported",
    bytes: new TextEncoder().encode(text),
    rows,
    next: next >= end || rows === limit ? null : next,
    end,
    clicks: Math.max(end - first, 0),
    ...(filters.length > 0 ? { filtered: true } : {}),
  };
}

/** @returns the position after the last click that was taken */
function readAll(reader: ClickReader, first: number, end: number, take: (click: ListedClick) => boolean): number {
  for (const click of reader.read(first, end)) if (take(click)) return click.position + 1;
  return Math.max(first, end);
}
