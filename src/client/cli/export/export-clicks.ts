/** Writes clicks to a file or to stdout, and goes on by itself when the connection breaks. */
import { backoffMs } from "../../../core/retries.ts";
import { figure } from "../../../core/limits.ts";
import { HoplinkConnectionError } from "../../index.ts";
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

type Write = (rows: Uint8Array) => Promise<void>;

const FAILURES_MAX = 5;

/** @param write  whole rows @returns how many clicks */
export async function exportClicks(session: Session, request: ExportRequest, write: Write): Promise<number> {
  const { io } = session;
  let { after } = request;
  let clicks = 0;
  for (let failures = 1; ; failures++) {
    const limit = request.limit === undefined ? undefined : request.limit - clicks;
    const part = new ExportPart(session, { ...request, after, limit }, write);
    const broken = await part.run((rows) => io.progress.show(clicks + rows, request.limit ?? null, "clicks"));
    clicks += part.clicks;
    after = part.after ?? after;
    if (!broken) return clicks;
    io.signal.throwIfAborted();
    if (part.clicks > 0) failures = 1;
    if (failures > FAILURES_MAX) throw brokenOff(broken);
    const waitMs = backoffMs(failures, Math.random());
    io.note(`The export broke off, with ${figure(clicks)} written. Going on in ${Math.ceil(waitMs / 1_000)} s.`);
    await sleep(waitMs, io.signal);
  }
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
  readonly #request: ExportRequest;
  readonly #write: Write;
  readonly #splitter: RowSplitter;

  constructor(session: Session, request: ExportRequest, write: Write) {
    this.#session = session;
    this.#request = request;
    this.#write = write;
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
    return this.#request.format === "csv" && this.#request.after !== null
      ? rows.subarray(rows.indexOf(0x0a) + 1)
      : rows;
  }

  #open(): Promise<ReadableStream<Uint8Array>> {
    const { format, linkId, query, after, limit } = this.#request;
    const { hoplink, io } = this.#session;
    const options = { signal: io.signal };
    const common = { ...query, format, ...(limit !== undefined && { limit }) };
    if (linkId === null) return hoplink.clicks.export({ ...common, ...(after !== null && { after }) }, options);
    return hoplink.links.exportClicks(linkId, { ...common, ...(after !== null && { after: Number(after) }) }, options);
  }
}
