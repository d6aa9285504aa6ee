/** A link's clicks as a file: the whole range in one response, as CSV or NDJSON. */
import type { Context, MiddlewareHandler } from "hono";

import { type RowFormat, ROW_TYPES } from "../../core/clicks/click-rows.ts";
import { CLICK_COLUMNS, ExportQuery } from "../../core/contract/clicks.ts";
import { csvRow } from "../../core/csv-rows.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { type ExportSlot, ExportSlots } from "../../core/export-slots.ts";
import { JSON_TYPE, preferredType } from "../../core/http/accept.ts";
import { figure } from "../../core/limits.ts";
import { typedSlug } from "../../core/links/stored-slug.ts";
import { exportClicksMax } from "../../core/workers-plan.ts";
import { readExportPage } from "../../store/link-object-client.ts";
import { UnavailableError } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { pathParam, readQuery } from "../middleware/input.ts";
import { type ExportedPage, exportStream } from "./export-stream.ts";
import { filtersOf, timeBoundsOf } from "./wire.ts";

const RETRY_AFTER_SECONDS = 5;
/** With the mark, Excel reads UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

const slots = new ExportSlots();

/** Answers with a file where `Accept` prefers one to JSON, which also serves clients that accept neither. */
export const negotiateExport: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const type = preferredType(c.req.header("Accept") ?? "", [JSON_TYPE, ROW_TYPES.csv, ROW_TYPES.ndjson]);
  if (type !== JSON_TYPE) return exportClicks(c, type === ROW_TYPES.csv ? "csv" : "ndjson");
  await next();
  c.header("Vary", "Accept");
};

/** The same for a browser, which saves what a plain link leads to and sends no headers of ours with it. */
export const downloadClicksRoute = createHandlers(access("stats:read"), loadLink, async (c) => {
  const format = pathParam(c, "format");
  if (format !== "csv" && format !== "ndjson") throw new ApiError("not_found", "Files are csv or ndjson");
  return exportClicks(c, format, format === "csv" ? BYTE_ORDER_MARK : "");
});

async function exportClicks(c: Context<ApiEnv>, format: RowFormat, mark = ""): Promise<Response> {
  const query = readQuery(c, ExportQuery);
  const bounds = timeBoundsOf(query);
  const headers = exportHeaders(typedSlug(c.var.link.slug), format);
  // A HEAD response has no body whose end would free the slot.
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const slot = takeSlot(c.var.caller.accountId);
  try {
    const source = await openExport(c, format, query, bounds);
    const head = mark + (format === "csv" ? csvRow(CLICK_COLUMNS) : "");
    const body = exportStream({
      ...source,
      head,
      isStillAllowed: c.var.isStillAllowed,
      onRead: () => (slot.usedAt = Date.now()),
      onEnd: () => slots.release(slot),
    });
    return new Response(body, { headers });
  } catch (error) {
    slots.release(slot);
    throw error;
  }
}

/** Reads the first page, so that what refuses an export refuses it with a status. */
async function openExport(
  { env, var: { link } }: Context<ApiEnv>,
  format: RowFormat,
  query: ExportQuery,
  bounds: { from: number | null; to: number | null },
): Promise<{ first: ExportedPage; readPage: (after: number) => Promise<ExportedPage> }> {
  const limit = query.limit ?? null;
  const wanted = { format, ...filtersOf(query) };
  const clicksMax = exportClicksMax(env);
  if (limit !== null && limit > clicksMax) throw limitRefused("too_big", clicksMax);
  const unbounded = { from: null, to: null };
  const first = await readExportPage(env, link, { ...wanted, after: query.after, limit, ...bounds, end: null });
  if (first.kind === "erased_meanwhile") throw new UnavailableError("the log was erased");
  if (limit === null && first.clicks > clicksMax) throw limitRefused("required", clicksMax, first.clicks);
  let rows = first.rows;
  const readPage = async (next: number) => {
    const left = limit === null ? null : limit - rows;
    const page = await readExportPage(env, link, { ...wanted, after: next, limit: left, ...unbounded, end: first.end });
    if (page.kind === "erased_meanwhile") throw new Error("the clicks were erased");
    rows += page.rows;
    return page;
  };
  return { first, readPage };
}

function exportHeaders(slug: string, format: RowFormat): Record<string, string> {
  return {
    "Content-Type": `${ROW_TYPES[format]}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${slug}-clicks.${format}"`,
    "Cache-Control": "no-store",
    Vary: "Accept",
  };
}

/** @throws ApiError too_many_exports @throws UnavailableError */
function takeSlot(accountId: string): ExportSlot {
  const slot = slots.take(accountId, Date.now());
  if (slot === "isolate") throw new UnavailableError("too many exports at once");
  if (slot !== "account") return slot;
  throw new ApiError("too_many_exports", undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function limitRefused(code: string, max: number, clicks?: number): ApiError {
  const most = `limit must be at most ${figure(max)}, and as much is sent in one response`;
  const message =
    clicks === undefined ? most : `The range has ${figure(clicks)} clicks: ${most}; go on with the last seq as after`;
  return validationFailed([{ path: "limit", code, message }]);
}
