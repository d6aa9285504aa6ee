/** Clicks as a file: the whole range in one response, as CSV or NDJSON, if `Accept` prefers one. */
import type { Context, MiddlewareHandler } from "hono";

import type { RowFormat } from "../../core/clicks/protocol/link-object-rpc.ts";
import { ROW_TYPES } from "../../core/clicks/protocol/wire-click.ts";
import { exportClicksMax } from "../../core/deployment/settings.ts";
import { joinedBytes } from "../../core/encoding/bytes.ts";
import { csvRow } from "../../core/encoding/csv.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { JSON_TYPE, preferredType } from "../../core/http/requests.ts";
import { figure } from "../../core/limits.ts";
import { isAscii } from "../../core/links/case-folding.ts";
import { EXPORT_IDLE_MAX_MS, type ExportSlot, ExportSlots } from "../../core/memory/export-slots.ts";
import { timestamp } from "../../core/time.ts";
import type { ApiEnv } from "../context.ts";

const RETRY_AFTER_SECONDS = 5;
const ISOLATE_BUSY = "Too many exports are in progress. Try again in a few seconds.";
/** Makes Excel read the file as UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** Slots of all exports that this isolate sends. */
const slots = new ExportSlots();

interface ExportFile<Place> {
  format: RowFormat;
  /** File name without its extension. */
  name: string;
  columns: readonly string[];
  /** Text at the very beginning. */
  mark?: string;
  after: Place;
  /** Maximum number of rows; undefined for all. */
  limit: number | undefined;
  /** Message for the client: how to continue after the last row. */
  goOn: string;
  /** Returns the function that reads pages. @throws when they are unavailable */
  open: () => Promise<ReadPage<Place>>;
}

/** The first page is read without `end`, the others with that of the first, so that all show the same moment. */
type ReadPage<Place> = (request: { after: Place; limit: number | null; end: number | null }) => Promise<RowPage<Place>>;

interface RowPage<Place> extends ExportedPage<Place> {
  rows: number;
  end: number;
  /** Clicks from `after` to `end`, whether they match or not. */
  clicks: number;
  /** The file contains only clicks before this time, epoch ms. */
  asOf?: number;
}

/** Sends a file if `Accept` prefers one to JSON. Clients that accept neither get JSON. */
export function negotiateExport(
  sendFile: (c: Context<ApiEnv>, format: RowFormat) => Promise<Response>,
): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const type = preferredType(c.req.header("Accept") ?? "", [JSON_TYPE, ROW_TYPES.csv, ROW_TYPES.ndjson]);
    if (type !== JSON_TYPE) return sendFile(c, type === ROW_TYPES.csv ? "csv" : "ndjson");
    await next();
    c.header("Vary", "Accept");
  };
}

/** @throws ApiError too_many_exports, validation_failed for a limit, or unavailable */
export async function sendExport<Place>(c: Context<ApiEnv>, file: ExportFile<Place>): Promise<Response> {
  const headers: Record<string, string> = {
    "Content-Type": `${ROW_TYPES[file.format]}; charset=utf-8`,
    "Content-Disposition": attachmentOf(`${file.name}.${file.format}`),
    "Cache-Control": "no-store",
    Vary: "Accept",
  };
  // A HEAD request takes no slot: its response has no body, whose end would release the slot.
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const slot = takeSlot(c.var.caller.accountId);
  try {
    const { first, readPage } = await openPages(file, exportClicksMax(c.env));
    const body = exportStream({
      first,
      readPage,
      head: (file.mark ?? "") + (file.format === "csv" ? csvRow(file.columns) : ""),
      isStillAllowed: c.var.isStillAllowed,
      onRead: () => (slot.usedAt = Date.now()),
      onEnd: () => slots.release(slot),
    });
    const asOf = first.asOf === undefined ? {} : { "Hoplink-As-Of": timestamp(first.asOf) };
    return new Response(body, { headers: { ...headers, ...asOf } });
  } catch (error) {
    slots.release(slot);
    throw error;
  }
}

/**
 * Reads the first page, so that a refused export gets an error status.
 * @param max  maximum rows of one response
 * @throws ApiError validation_failed
 */
async function openPages<Place>({ after, limit, goOn, open }: ExportFile<Place>, max: number) {
  const most = `limit must be at most ${figure(max)}, the maximum of one response`;
  if (limit !== undefined && limit > max) throw limitRefused("too_big", most);
  const read = await open();
  const first = await read({ after, limit: limit ?? null, end: null });
  if (limit === undefined && first.clicks > max) {
    throw limitRefused("required", `The range has ${figure(first.clicks)} clicks: ${most}; ${goOn}`);
  }
  const { end } = first;
  let { rows } = first;
  const readPage = async (next: Place) => {
    const page = await read({ after: next, limit: limit === undefined ? null : limit - rows, end });
    rows += page.rows;
    return page;
  };
  return { first, readPage };
}

function limitRefused(code: string, message: string): ApiError {
  return validationFailed([{ path: "limit", code, message }]);
}

/** @throws ApiError too_many_exports, or unavailable when the isolate sends as many as it can */
function takeSlot(accountId: string): ExportSlot {
  const slot = slots.take(accountId, Date.now());
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (slot === "account") throw new ApiError("too_many_exports", undefined, retry);
  if (slot === "isolate") throw new ApiError("unavailable", ISOLATE_BUSY, retry);
  return slot;
}

/** A header contains ASCII only (RFC 6266). */
function attachmentOf(name: string): string {
  const encoded = isAscii(name) ? "" : `; filename*=UTF-8''${encodeURIComponent(name).replaceAll("*", "%2A")}`;
  return `attachment; filename="${name.replace(/[^\w.~-]/g, "_")}"${encoded}`;
}

/** A page of an export. `Place` is the type of its rows' positions. */
interface ExportedPage<Place> {
  bytes: Uint8Array;
  /** Where the next page begins; null after the last one. */
  next: Place | null;
}

interface ExportSource<Place> {
  /** Text before the rows. */
  head: string;
  first: ExportedPage<Place>;
  /** @throws when the rest is unavailable */
  readPage: (after: Place) => Promise<ExportedPage<Place>>;
  isStillAllowed: () => Promise<boolean>;
  /** Called when the client is ready for more. */
  onRead: () => void;
  /** Called once, at the end or on failure. */
  onEnd: () => void;
}

/** An export ends within ten seconds after its key is revoked, as streams do. */
const ACCESS_CHECK_INTERVAL_MS = 5_000;

/**
 * The body requests the next page from the object when the client has read the previous one. Memory therefore does not
 * grow with the log, and nothing is read for a client that has gone. An early end always breaks the connection, so a
 * client never mistakes a part for the whole.
 */
function exportStream<Place>({ head, first, ...source }: ExportSource<Place>): ReadableStream<Uint8Array> {
  const firstBytes = joinedBytes([new TextEncoder().encode(head), first.bytes]);
  /** Read but not yet sent. */
  let page = firstBytes.length > 0 ? { ...first, bytes: firstBytes } : null;
  let { next } = first;
  let checkedAt = Date.now();
  let isOpen = true;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  const end = () => {
    if (!isOpen) return;
    clearTimeout(idleTimer);
    isOpen = false;
    page = null;
    source.onEnd();
  };
  const breakOff = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown) => {
    console.warn("export broken off", { error: String(error) });
    if (isOpen) controller.error(error);
    end();
  };
  /** Ends the export if the client stops reading, so that it cannot hold a page indefinitely. */
  const waitForClient = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const stop = () => breakOff(controller, new Error("the client stopped reading"));
    idleTimer = setTimeout(stop, EXPORT_IDLE_MAX_MS);
  };
  const readNext = async (): Promise<ExportedPage<Place> | null> => {
    while (next !== null) {
      if (Date.now() - checkedAt >= ACCESS_CHECK_INTERVAL_MS) {
        checkedAt = Date.now();
        // A failing database does not end access.
        if (!(await source.isStillAllowed().catch(() => true))) throw new Error("access was revoked");
      }
      const read = await source.readPage(next);
      next = read.next;
      if (read.bytes.length > 0) return read;
    }
    return null;
  };

  return new ReadableStream<Uint8Array>(
    {
      start: waitForClient,
      pull: async (controller) => {
        clearTimeout(idleTimer);
        source.onRead();
        try {
          const sent = page ?? (await readNext());
          page = null;
          if (!isOpen) return;
          if (sent) {
            controller.enqueue(sent.bytes);
            waitForClient(controller);
          } else {
            controller.close();
            end();
          }
        } catch (error) {
          breakOff(controller, error);
        }
      },
      cancel: end,
    },
    // Disables reading ahead.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
