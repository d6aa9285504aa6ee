/**
 * Pages of an export of clicks, as the text of their rows: the Worker, whose CPU is scarcer, passes it on as it is.
 * Writes nothing. Loaded only for that.
 */
import { clickRow } from "../core/clicks/click-rows.ts";
import type { ExportRequest, ExportResult } from "../core/clicks/link-object-rpc.ts";
import { wireClick } from "../core/clicks/wire-click.ts";
import type { ClickReader } from "./click-reader.ts";

export type ExportPage = typeof exportPage;

/** A page ends with the row that reaches it: some 2,500 clicks, in ten to thirty milliseconds. */
const EXPORT_PAGE_CHARS = 1024 * 1024;

export function exportPage(reader: ClickReader, request: ExportRequest): ExportResult {
  const { format, after, limit, from, to } = request;
  if (request.end !== null && request.end > reader.count) return { kind: "erased_meanwhile" };
  const positions = reader.positionsOf(after, from, to);
  const end = request.end ?? positions.end;
  let text = "";
  let rows = 0;
  let next = positions.first;
  for (const click of reader.read(next, end)) {
    if (rows === limit || text.length >= EXPORT_PAGE_CHARS) break;
    text += clickRow(format, wireClick(click));
    rows++;
    next = click.position + 1;
  }
  const isLast = next >= end || rows === limit;
  return {
    kind: "exported",
    bytes: new TextEncoder().encode(text),
    rows,
    next: isLast ? null : next,
    end,
    clicks: Math.max(end - positions.first, 0),
  };
}
