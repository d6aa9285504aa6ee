/** Writes clicks to a file or stdout, and resumes automatically if the connection breaks. */
import { EXPORT_CLICKS_MAX } from "../../core/deployment/settings.ts";
import { jsonIn } from "../../core/encoding/bytes.ts";
import { figure } from "../../core/limits.ts";
import { backoffMs } from "../../core/retries.ts";
import { sleep } from "../errors.ts";
import { HoplinkConnectionError, isHoplinkError } from "../index.ts";
import { Failure } from "./errors.ts";
import type { Session } from "./session.ts";

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
    const onRows = (rows: number) => io.showProgress(clicks + rows, request.limit ?? null, "clicks");
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

export type RowFormat = "csv" | "ndjson";

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
/** No click is nearly as long. Endless input must not fill the memory. */
const ROW_MAX_BYTES = 1_000_000;

/** Splits a file of clicks into whole rows as it arrives, so that a broken export resumes after the last one. */
export class RowSplitter {
  readonly #format: RowFormat;
  #rest: Uint8Array = new Uint8Array();
  /** Whether the input is inside a quoted cell, which may contain line ends. */
  #isQuoted = false;
  #last: Uint8Array | null = null;
  rows = 0;

  constructor(format: RowFormat) {
    this.#format = format;
  }

  /** @returns the rows completed by this chunk, with their line ends @throws Failure if a row is too long */
  push(chunk: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let end = 0;
    for (let i = this.#rest.length; i < bytes.length; i++) {
      if (bytes[i] === QUOTE && this.#format === "csv") this.#isQuoted = !this.#isQuoted;
      if (bytes[i] !== LINE_FEED || this.#isQuoted) continue;
      this.#last = bytes.subarray(end, i + 1);
      this.rows++;
      end = i + 1;
    }
    if (bytes.length - end > ROW_MAX_BYTES) {
      throw new Failure(`This is not an export of clicks: a row has more than ${figure(ROW_MAX_BYTES)} bytes`);
    }
    // A copy: otherwise one row would keep its whole chunk in memory.
    this.#rest = Uint8Array.from(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  /** Whether an incomplete row remains. */
  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** Null before the first row. */
  get lastRow(): string | null {
    return this.#last && new TextDecoder().decode(this.#last).trimEnd();
  }
}

/**
 * The place where an export continues, as the API accepts it in `after`.
 * @param ofAccount  clicks of all links, which are in chronological order
 * @returns null for the header row, and for anything that is not a click
 */
export function placeAfter(row: string, format: RowFormat, ofAccount: boolean): string | null {
  const place = format === "csv" ? csvPlace(row, ofAccount) : (jsonIn(row) as Place | null | undefined);
  const { link_id, seq, occurred_at } = place ?? {};
  if (!/^\d+$/.test(String(seq)) || (link_id !== undefined) !== ofAccount) return null;
  return ofAccount ? `${occurred_at},${link_id},${seq}` : String(seq);
}

interface Place {
  link_id?: string | undefined;
  seq?: string | number | undefined;
  occurred_at?: string | undefined;
}

/** These columns precede all columns that may contain commas. */
function csvPlace(row: string, ofAccount: boolean): Place {
  const [first, second, third, fourth] = row.split(",", 4);
  return ofAccount ? { link_id: first, seq: third, occurred_at: fourth } : { seq: first, occurred_at: second };
}
