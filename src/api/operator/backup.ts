/** What the operator's command `backup` reads: rows of tables, logs of links, images. */
import { ApiError } from "../../core/errors.ts";
import { BACKUP_FORMAT, type BackupInfo, LogQuery, LOGS_PAGE_LINKS, PageQuery } from "../../core/contract/backup.ts";
import { encodeEntry } from "../../core/backup/log-entries.ts";
import {
  BACKED_UP_TABLE_NAMES,
  BACKED_UP_TABLES,
  type BackedUpTableName,
} from "../../store/backup/backed-up-tables.ts";
import { type CopiedLogs, copyLinks, copyRestOfLog } from "../../store/backup/link-logs.ts";
import { readTableRows } from "../../store/backup/table-rows.ts";
import { readImage } from "../../store/qr-codes.ts";
import { createHandlers } from "../context.ts";
import { noQuery, pathParam, query } from "../middleware/input.ts";

export const getBackupInfoRoute = createHandlers(noQuery, (c) => {
  const tables = BACKED_UP_TABLE_NAMES.map((name) => ({ name, key: [...BACKED_UP_TABLES[name].key] }));
  return c.json({ format: BACKUP_FORMAT, now: Date.now(), tables } satisfies BackupInfo);
});

export const readTableRoute = createHandlers(query(PageQuery), async (c) => {
  const { after, created_until, limit } = c.req.valid("query");
  const table = tableNamed(pathParam(c, "table"));
  const page = { after: keyOf(table, after), createdUntil: created_until, limit };
  return c.json({ rows: await readTableRows(c.env, table, page) });
});

export const copyLinksRoute = createHandlers(query(PageQuery), async (c) => {
  const { after, created_until, limit } = c.req.valid("query");
  const page = { after: keyOf("links", after), createdUntil: created_until, limit: Math.min(limit, LOGS_PAGE_LINKS) };
  return respondWithLogs(await copyLinks(c.env, page));
});

export const copyLogRoute = createHandlers(query(LogQuery), async (c) => {
  const { link, position, revision, end } = c.req.valid("query");
  const key = keyOf("links", link);
  if (!key) throw new ApiError("link_not_found");
  return respondWithLogs(await copyRestOfLog(c.env, key, { position, revision }, end));
});

export const readImageRoute = createHandlers(noQuery, async (c) => {
  const image = await readImage(c.env, pathParam(c, "name"), null);
  if (!image?.body) throw new ApiError("not_found", "There is no such image");
  return new Response(image.body, { headers: { "Content-Type": "application/octet-stream" } });
});

/** @throws ApiError not_found */
export function tableNamed(name: string): BackedUpTableName {
  const table = BACKED_UP_TABLE_NAMES.find((known) => known === name);
  if (!table) throw new ApiError("not_found", "No backup of this release has this table: it is of a later one");
  return table;
}

/** @throws ApiError not_found for a key with another number of columns */
function keyOf(table: BackedUpTableName, values: string[] | undefined): string[] | null {
  if (values === undefined) return null;
  if (values.length !== BACKED_UP_TABLES[table].key.length)
    throw new ApiError("not_found", "This is no key of the table");
  return values;
}

function respondWithLogs({ head, parts }: CopiedLogs): Response {
  const entries = [
    encodeEntry(head, new Uint8Array(0)),
    ...parts.map(({ header, rows }) => encodeEntry(header, rows)),
  ].flat();
  return new Response(new Blob(entries as Uint8Array<ArrayBuffer>[]), {
    headers: { "Content-Type": "application/octet-stream" },
  });
}
