/** A link's clicks as a file. */
import type { Context } from "hono";

import type { RowFormat } from "../../core/clicks/click-rows.ts";
import { CLICK_COLUMNS, ExportQuery } from "../../core/contract/clicks.ts";
import { ApiError } from "../../core/errors.ts";
import { typedSlug } from "../../core/links/stored-slug.ts";
import { readExportPage } from "../../store/link-object-client.ts";
import { UnavailableError } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { pathParam, readQuery } from "../middleware/input.ts";
import { BYTE_ORDER_MARK, ExportLimit, type OpenExport, sendExport } from "./send-export.ts";
import { filtersOf, timeBoundsOf } from "./wire.ts";

/** For a browser, which saves what a plain link leads to and sends no headers of ours with it. */
export const downloadClicksRoute = createHandlers(access("stats:read"), loadLink, async (c) => {
  const format = pathParam(c, "format");
  if (format !== "csv" && format !== "ndjson") throw new ApiError("not_found", "Files are csv or ndjson");
  return exportClicks(c, format, format === "csv" ? BYTE_ORDER_MARK : "");
});

export function exportClicks(c: Context<ApiEnv>, format: RowFormat, mark = ""): Promise<Response> {
  const query = readQuery(c, ExportQuery);
  const bounds = timeBoundsOf(query);
  const file = { format, name: `${typedSlug(c.var.link.slug)}-clicks`, columns: CLICK_COLUMNS, mark };
  return sendExport(c, file, () => openExport(c, format, query, bounds));
}

async function openExport(
  c: Context<ApiEnv>,
  format: RowFormat,
  query: ExportQuery,
  bounds: { from: number | null; to: number | null },
): Promise<OpenExport<number>> {
  const { link } = c.var;
  const limit = new ExportLimit(c, query.limit, "go on with the last seq as after");
  const wanted = { format, ...filtersOf(query) };
  const unbounded = { from: null, to: null };
  const whole = { ...wanted, ...bounds, after: query.after, limit: limit.rows, end: null };
  const first = await readExportPage(c.env, link, whole);
  if (first.kind === "erased_meanwhile") throw new UnavailableError("the log was erased");
  limit.check(first.clicks);
  let { rows } = first;
  const readPage = async (after: number) => {
    const left = limit.rows === null ? null : limit.rows - rows;
    const page = await readExportPage(c.env, link, { ...wanted, ...unbounded, after, limit: left, end: first.end });
    if (page.kind === "erased_meanwhile") throw new Error("the clicks were erased");
    rows += page.rows;
    return page;
  };
  return { first, readPage };
}
