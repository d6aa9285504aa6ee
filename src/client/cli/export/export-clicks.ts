/** Writes clicks to a file or to stdout, and goes on by itself when the connection breaks. */
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
  /** Most clicks. */
  limit: number | undefined;
  /** Where to go on. */
  after: string | null;
}

/** @property limit  Infinity for all */
type PartRequest = ExportRequest & { limit: number };

type Write = (rows: Uint8Array) => Promise<void>;

const FAILURES_MAX = 5;

/** How much is asked for at once: all, or as much as a response has on either plan of Workers. */
const PART_CLICKS = [Infinity, EXPORT_CLICKS_MAX.paid, EXPORT_CLICKS_MAX.free];

/** @param write  whole rows @returns how many clicks */
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
    const part = new ExportPart(session, { ...request, after, limit }, write, hasHeader);
    let broken: Error | null;
    try {
      broken = await part.run((rows) => io.progress.show(clicks + rows, request.limit ?? null, "clicks"));
      hasBegun = true;
    } catch (error) {
      if (parts.length > 1 && isOfLimit(error)) {
        parts = parts.slice(1);
        continue;
      }
      // What cannot be reached at first may never be there.
      if (!hasBegun || !(error instanceof HoplinkConnectionError)) throw error;
      broken = error;
    }
    clicks += part.clicks;
    after = part.after ?? after;
    hasHeader ||= part.hasRows;
    if (clicks === wanted || (!broken && part.clicks < limit)) return clicks;
    io.signal.throwIfAborted();
    if (part.clicks > 0) failures = 0;
    if (!broken) continue;
    if (++failures > FAILURES_MAX) throw brokenOff(broken);
    const waitMs = backoffMs(failures, Math.random());
    io.note(`The export broke off, with ${figure(clicks)} written. Going on in ${Math.ceil(waitMs / 1_000)} s.`);
    await sleep(waitMs, io.signal);
  }
}

/** Whether a response does not have so many clicks. */
function isOfLimit(error: unknown): boolean {
  return isHoplinkError(error, "validation_failed") && error.errors.some(({ path }) => path === "limit");
}

function brokenOff(reason: Error): Failure {
  return new Failure(
    `The export broke off: ${reason.message}`,
    "failed",
    "Go on later: add --resume, with --out FILE.",
  );
}

/** What one response has. */
class ExportPart {
  readonly #session: Session;
  readonly #request: PartRequest;
  readonly #write: Write;
  readonly #splitter: RowSplitter;
  readonly #hasHeader: boolean;

  /** @param hasHeader  whether the names of the columns are written already */
  constructor(session: Session, request: PartRequest, write: Write, hasHeader: boolean) {
    this.#session = session;
    this.#request = request;
    this.#write = write;
    this.#hasHeader = hasHeader;
    this.#splitter = new RowSplitter(request.format);
  }

  /** @returns why it broke off; null when it is whole @throws what the service refuses */
  async run(onRows: (clicks: number) => void): Promise<Error | null> {
    const reader = (await this.#open()).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: Error) => ({ done: error, value: undefined }));
        if (done instanceof Error) return done;
        if (done) return this.#splitter.hasRest ? new HoplinkConnectionError("the last row is not whole") : null;
        await this.#write(this.#withoutHeader(this.#splitter.push(value)));
        onRows(this.clicks);
      }
    } finally {
      // Where the rows cannot be written, a connection that nobody reads would keep the process.
      await reader.cancel().catch(() => {});
    }
  }

  /** Without the names of the columns. */
  get clicks(): number {
    return Math.max(this.#splitter.rows - (this.#request.format === "csv" ? 1 : 0), 0);
  }

  /** The names of the columns are one. */
  get hasRows(): boolean {
    return this.#splitter.rows > 0;
  }

  get after(): string | null {
    const { format, linkId } = this.#request;
    const row = this.#splitter.lastRow;
    return row === null ? null : placeAfter(row, format, linkId === null);
  }

  #isFirst = true;

  /** A response that goes on has the names of the columns again. */
  #withoutHeader(rows: Uint8Array): Uint8Array {
    if (!this.#isFirst || rows.length === 0) return rows;
    this.#isFirst = false;
    return this.#request.format === "csv" && this.#hasHeader ? rows.subarray(rows.indexOf(0x0a) + 1) : rows;
  }

  #open(): Promise<ReadableStream<Uint8Array>> {
    const { format, linkId, query, after, limit } = this.#request;
    const { hoplink, io } = this.#session;
    const options = { signal: io.signal };
    const common = { ...query, format, ...(limit !== Infinity && { limit }) };
    if (linkId === null) return hoplink.clicks.export({ ...common, ...(after !== null && { after }) }, options);
    return hoplink.links.exportClicks(linkId, { ...common, ...(after !== null && { after: Number(after) }) }, options);
  }
}
