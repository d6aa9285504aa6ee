/** Pages of a link's clicks, for lists and exports. Loaded only for those. */
import { compileFilters } from "../core/clicks/counting/filters.ts";
import { linkGroupings } from "../core/clicks/counting/groupings.ts";
import type {
  ClicksRequest,
  ClicksResult,
  ExportRequest,
  ExportResult,
  ListedClick,
} from "../core/clicks/protocol/link-object-rpc.ts";
import { wireClick } from "../core/clicks/protocol/wire-click.ts";
import type { ClickReader } from "./click-reader.ts";
import { type PageScan, readMatching, readRows } from "./log-scan.ts";

/**
 * A page ends with the click that reaches this size as JSON: twice the length of 1,000 ordinary clicks. One click's
 * rule and destination may take 70 KB.
 */
const PAGE_MAX_CHARS = 1024 * 1024;

/** @returns null when the log was erased in the meantime */
export async function matchingPage(
  reader: ClickReader,
  { after, limit, from, to, filters = [] }: ClicksRequest,
  isOpen: () => boolean,
): Promise<ClicksResult | null> {
  const { first, end } = reader.positionsOf(after, from ?? null, to ?? null);
  const clicks: ListedClick[] = [];
  let chars = 0;
  const next = await readMatching(scanOf(reader, filters, first, end, isOpen), (click) => {
    clicks.push(click);
    chars += JSON.stringify(click).length;
    return clicks.length === limit || chars >= PAGE_MAX_CHARS;
  });
  if (next === null) return null;
  const seq = Math.max(after, reader.log.seqBefore(next));
  return { kind: "clicks", clicks, hasMore: next < end, ...(filters.length > 0 && { next: seq }) };
}

export async function exportPage(
  reader: ClickReader,
  request: ExportRequest,
  isOpen: () => boolean,
): Promise<ExportResult> {
  const { format, after, limit, from, to, filters = [] } = request;
  const { log } = reader;
  if (request.end !== null && request.end > log.seqBefore(log.count)) return { kind: "erased_meanwhile" };
  const positions = reader.positionsOf(after, from, to);
  const { first } = positions;
  const end = request.end === null ? positions.end : log.positionAfter(request.end);
  const { list, ...scan } = scanOf(reader, filters, first, end, isOpen);
  const wire: PageScan<ReturnType<typeof wireClick>>["list"] = (clicks, offset) => {
    const listed = list(clicks, offset);
    return (i) => wireClick(listed(i));
  };
  const page = await readRows({ ...scan, list: wire }, format, limit);
  if (!page) return { kind: "erased_meanwhile" };
  return {
    kind: "exported",
    bytes: page.bytes,
    rows: page.rows,
    next: page.next >= end || page.rows === limit ? null : log.seqBefore(page.next),
    end: log.seqBefore(end),
    clicks: Math.max(end - first, 0),
  };
}

function scanOf(
  reader: ClickReader,
  filters: NonNullable<ClicksRequest["filters"]>,
  first: number,
  end: number,
  isOpen: () => boolean,
): PageScan<ListedClick> {
  return {
    log: reader.log,
    range: { first, end },
    isOpen,
    filters: compileFilters(filters, linkGroupings(reader)),
    list: (clicks, offset) => reader.lister(clicks, offset),
  };
}
