/** Writes clicks to a file or stdout, and resumes automatically if the connection breaks. */
import { EXPORT_CLICKS_MAX } from "../../../core/deployment/settings.ts";
import { figure } from "../../../core/limits.ts";
import { backoffMs } from "../../../core/retries.ts";
import { HoplinkConnectionError, isHoplinkError } from "../../index.ts";
import { sleep } from "../../waiting.ts";
import { Failure } from "../errors.ts";
import type { Session } from "../session.ts";
import { placeAfter, type RowFormat, RowSplitter } from "./rows.ts";

export interface ExportRequest {
  format: RowFormat;
  /** Null for the whole account. */
  linkId: string | null;
  query: Readonly<Record<string, string>>;
  /** Maximum number of clicks. */
  limit: number | undefined;
  /** The place after which to resume. */
  after: string | null;
}

/** @property limit  Infinity for all clicks */
type PartRequest = ExportRequest & { limit: number };

type Write = (rows: Uint8Array) => Promise<void>;

const FAILURES_MAX = 5;

/** Limits of clicks per request, tried in order: none, then the maximum of a response on each plan of Workers. */
const PART_CLICKS = [Infinity, EXPORT_CLICKS_MAX.paid, EXPORT_CLICKS_MAX.free];

/** @param write  gets whole rows @returns the number of clicks */
export async function exportClicks(session: Session, request: ExportRequest, write: Write): Promise<number> {
  const { io } = session;
  const wanted = request.limit ?? Infinity;
  let { after } = request;
  let hasHeader = after !== null;
  let clicks = 0;
  let failures = 0;
  let parts = PART_CLICKS;
  let hasBegun = false;
  for (;;) {
    const limit = Math.min(wanted - clicks, parts[0] ?? 0);
    const onRows = (rows: number) => io.progress.show(clicks + rows, request.limit ?? null, "clicks");
    let part: ExportPart;
    try {
      part = await exportPart(session, { ...request, after, limit }, hasHeader, write, onRows);
      hasBegun = true;
    } catch (error) {
      if (parts.length > 1 && isOfLimit(error)) {
        parts = parts.slice(1);
        continue;
      }
      // A service that cannot be reached at first may not exist, so this is not retried.
      if (!hasBegun || !(error instanceof HoplinkConnectionError)) throw error;
      part = { clicks: 0, hasHeader, after, broken: error };
    }
    clicks += part.clicks;
    ({ hasHeader, after } = part);
    const { broken } = part;
    if (clicks === wanted || (!broken && part.clicks < limit)) return clicks;
    io.signal.throwIfAborted();
    if (part.clicks > 0) failures = 0;
    if (!broken) continue;
    if (++failures > FAILURES_MAX) throw brokenOff(broken);
    const waitMs = backoffMs(failures, Math.random());
    io.note(`The connection broke (clicks written: ${figure(clicks)}). Resuming in ${Math.ceil(waitMs / 1_000)} s.`);
    await sleep(waitMs, io.signal);
  }
}

/** Whether the service refused the limit because a response cannot hold that many clicks. */
function isOfLimit(error: unknown): boolean {
  return isHoplinkError(error, "validation_failed") && error.errors.some(({ path }) => path === "limit");
}

function brokenOff(reason: Error): Failure {
  return new Failure(
    `The export is incomplete: ${reason.message}`,
    "failed",
    "If you used --out FILE, add --resume to continue later.",
  );
}

/** The result of one response. */
interface ExportPart {
  clicks: number;
  /** Whether the header row is written. */
  hasHeader: boolean;
  /** The place where the next part begins. */
  after: string | null;
  /** Why the response is incomplete; null if it is complete. */
  broken: Error | null;
}

/** @param hasHeader  whether the header row is already written @throws the service's refusal */
async function exportPart(
  session: Session,
  request: PartRequest,
  hasHeader: boolean,
  write: Write,
  onRows: (clicks: number) => void,
): Promise<ExportPart> {
  const { format, linkId } = request;
  const splitter = new RowSplitter(format);
  const clicks = () => Math.max(splitter.rows - (format === "csv" ? 1 : 0), 0);
  // A response that continues an export repeats the header row.
  let skipsHeader = format === "csv" && hasHeader;
  const reader = (await openPart(session, request)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: Error) => ({ done: error, value: undefined }));
      if (done) {
        const { rows, lastRow, hasRest } = splitter;
        const place = lastRow === null ? null : placeAfter(lastRow, format, linkId === null);
        const cut = hasRest ? new HoplinkConnectionError("the last row is incomplete") : null;
        const broken = done instanceof Error ? done : cut;
        return { clicks: clicks(), hasHeader: hasHeader || rows > 0, after: place ?? request.after, broken };
      }
      const rows = splitter.push(value);
      await write(skipsHeader ? rows.subarray(rows.indexOf(0x0a) + 1) : rows);
      skipsHeader &&= rows.length === 0;
      onRows(clicks());
    }
  } finally {
    // If writing fails, an unread connection would keep the process alive.
    await reader.cancel().catch(() => {});
  }
}

function openPart(
  { hoplink, io }: Session,
  { format, linkId, query, after, limit }: PartRequest,
): Promise<ReadableStream<Uint8Array>> {
  const options = { signal: io.signal };
  const common = { ...query, format, ...(limit !== Infinity && { limit }) };
  if (linkId === null) return hoplink.clicks.export({ ...common, ...(after !== null && { after }) }, options);
  return hoplink.links.exportClicks(linkId, { ...common, ...(after !== null && { after: Number(after) }) }, options);
}
