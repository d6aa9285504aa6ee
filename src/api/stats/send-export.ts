/** Clicks as a file: the whole range in one response, as CSV or NDJSON, where `Accept` prefers one. */
import type { Context, MiddlewareHandler } from "hono";

import type { RowFormat } from "../../core/clicks/protocol/link-object-rpc.ts";
import { ROW_TYPES } from "../../core/clicks/protocol/wire-click.ts";
import { csvRow } from "../../core/encoding/csv.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { type ExportSlot, ExportSlots } from "../../core/memory/export-slots.ts";
import { JSON_TYPE, preferredType } from "../../core/http/accept.ts";
import { figure } from "../../core/limits.ts";
import { exportClicksMax } from "../../core/deployment/settings.ts";
import type { ApiEnv } from "../context.ts";
import { type ExportedPage, exportStream } from "./export-stream.ts";

const RETRY_AFTER_SECONDS = 5;
/** With the mark, Excel reads UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** Of all exports that this isolate sends. */
const slots = new ExportSlots();

interface ExportFile {
  format: RowFormat;
  /** Without the format. */
  name: string;
  columns: readonly string[];
  /** What stands before all else. */
  mark?: string;
}

/** An export whose first page was read, so that what refuses it refuses it with a status. */
export interface OpenExport<Place> {
  first: ExportedPage<Place>;
  /** @throws when the rest cannot be had */
  readPage: (after: Place) => Promise<ExportedPage<Place>>;
  headers?: Record<string, string>;
}

/** Answers with a file where `Accept` prefers one to JSON, which also serves clients that accept neither. */
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

/** @throws ApiError too_many_exports, or unavailable */
export async function sendExport<Place>(
  c: Context<ApiEnv>,
  file: ExportFile,
  open: () => Promise<OpenExport<Place>>,
): Promise<Response> {
  const headers = exportHeaders(file);
  // A HEAD response has no body whose end would free the slot.
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const slot = takeSlot(c.var.caller.accountId);
  try {
    const { first, readPage, ...opened } = await open();
    const body = exportStream({
      first,
      readPage,
      head: (file.mark ?? "") + (file.format === "csv" ? csvRow(file.columns) : ""),
      isStillAllowed: c.var.isStillAllowed,
      onRead: () => (slot.usedAt = Date.now()),
      onEnd: () => slots.release(slot),
    });
    return new Response(body, { headers: { ...headers, ...opened.headers } });
  } catch (error) {
    slots.release(slot);
    throw error;
  }
}

/** How many rows are wanted. Refuses what one response does not send. */
export class ExportLimit {
  /** Null when all clicks are wanted. */
  readonly rows: number | null;
  readonly #max: number;
  readonly #goOn: string;

  /** @param goOn  how a client goes on after its last row @throws ApiError validation_failed */
  constructor(c: Context<ApiEnv>, limit: number | undefined, goOn: string) {
    this.rows = limit ?? null;
    this.#max = exportClicksMax(c.env);
    this.#goOn = goOn;
    if (this.rows !== null && this.rows > this.#max) throw limitRefused("too_big", this.#most);
  }

  /** @param clicks  of the range @throws ApiError validation_failed */
  check(clicks: number): void {
    if (this.rows !== null || clicks <= this.#max) return;
    throw limitRefused("required", `The range has ${figure(clicks)} clicks: ${this.#most}; ${this.#goOn}`);
  }

  get #most(): string {
    return `limit must be at most ${figure(this.#max)}, and as much is sent in one response`;
  }
}

function limitRefused(code: string, message: string): ApiError {
  return validationFailed([{ path: "limit", code, message }]);
}

function exportHeaders({ format, name }: ExportFile): Record<string, string> {
  return {
    "Content-Type": `${ROW_TYPES[format]}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}.${format}"`,
    "Cache-Control": "no-store",
    Vary: "Accept",
  };
}

/** @throws ApiError too_many_exports, or unavailable when the isolate sends as many as it can */
function takeSlot(accountId: string): ExportSlot {
  const slot = slots.take(accountId, Date.now());
  if (slot === "isolate")
    throw new ApiError(
      "unavailable",
      "As many exports as can be sent at once are under way. Try again in a few seconds.",
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  if (slot !== "account") return slot;
  throw new ApiError("too_many_exports", undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
