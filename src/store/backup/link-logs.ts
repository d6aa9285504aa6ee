/**
 * Copies links and their click logs into a backup, and logs back into objects. A link's row is read after its log, so the
 * row is never older than a revision in the log, and never older than a change that its object knows.
 */
import type { JsonRow, LogPart, LogsHead, RestoredLogPart, RowKey } from "../../core/contract/backup.ts";
import type { LogPlace, RestoreLogResult } from "../../core/clicks/protocol/link-object-rpc.ts";
import { copyLinkLog, restoreLinkLog } from "../link-object-client.ts";
import { type LinkRow, snapshotOf } from "../links/link-rows.ts";
import { readLinkRows, readTableRows } from "./table-rows.ts";

/** Bytes of each log in a page of many links, and of one log by itself. */
const SHARED_PART_BYTES = 64 * 1024;
const SINGLE_PART_BYTES = 1024 * 1024;

/** A part of a log without the number of its bytes, which follows from them. */
interface CopiedPart {
  header: Omit<LogPart, "bytes">;
  rows: Uint8Array;
}

export interface CopiedLogs {
  head: Omit<LogsHead, "bytes">;
  parts: CopiedPart[];
}

/** The next links, with the beginning of each one's log: all of it where there are few clicks. */
export async function copyLinks(
  env: Env,
  page: { after: RowKey | null; createdUntil: number; limit: number },
): Promise<CopiedLogs> {
  const listed = await readTableRows(env, "links", page);
  const last = listed.at(-1);
  if (!last) return { head: { rows: [], last: null }, parts: [] };
  const kept = await withoutErased(env, listed);
  const parts = await Promise.all(
    kept.map((row) => copyPart(env, row, { position: 0, revision: 0 }, null, SHARED_PART_BYTES)),
  );
  const unfinished = new Set(parts.flatMap(({ header }) => (header.next ? [header.id] : [])));
  const complete = listed.filter(({ id }) => !unfinished.has(String(id)));
  const rows = await readLinkRows(env, complete.map(keyOf));
  return { head: { rows, last: keyOf(last) }, parts: parts.filter(({ rows: { length } }) => length > 0) };
}

/** The next part of one log. */
export async function copyRestOfLog(env: Env, key: RowKey, from: LogPlace, end: number): Promise<CopiedLogs> {
  const [row] = await readLinkRows(env, [key]);
  if (!row) throw new Error("a link is gone from the database");
  const part = await copyPart(env, row, from, end, SINGLE_PART_BYTES);
  const rows = part.header.next ? [] : await readLinkRows(env, [key]);
  return { head: { rows, last: key }, parts: [part] };
}

async function copyPart(
  env: Env,
  row: JsonRow,
  from: LogPlace,
  end: number | null,
  maxBytes: number,
): Promise<CopiedPart> {
  const link = snapshotOf(asLinkRow(row));
  const { rows, next, end: count, floor } = await copyLinkLog(env, link, { from, end, maxBytes });
  return {
    header: {
      account_id: link.accountId,
      mode: link.mode,
      id: link.id,
      domain: link.domain,
      slug: link.slug,
      object_name: link.objectName ?? null,
      from,
      next,
      end: count,
      floor,
    },
    rows,
  };
}

/** Without links whose clicks were erased, or will be: no backup takes them. */
async function withoutErased(env: Env, rows: readonly JsonRow[]): Promise<JsonRow[]> {
  const { results } = await env.DB.prepare(
    `SELECT account_id FROM account_states WHERE state = 'closed' AND account_id IN
       (SELECT value FROM json_each(?1))`,
  )
    .bind(JSON.stringify(rows.map(({ account_id }) => account_id)))
    .all<{ account_id: string }>();
  const closed = new Set<unknown>(results.map(({ account_id }) => account_id));
  return rows.filter(({ account_id, erase_at }) => erase_at === null && !closed.has(account_id));
}

/** Appends a part to the log of a link that the database does not have yet. */
export async function restorePart(
  env: Env,
  part: RestoredLogPart,
  rows: Uint8Array,
): Promise<RestoreLogResult["kind"]> {
  const { id, domain, slug, object_name, floor, row } = part;
  const link = { id, domain, slug, ...(object_name === null ? {} : { objectName: object_name }) };
  const snapshot = row && snapshotOf(asLinkRow(row));
  return (await restoreLinkLog(env, link, { linkId: id, rows, floor, snapshot })).kind;
}

function keyOf({ account_id, mode, id }: JsonRow): RowKey {
  return [String(account_id), String(mode), String(id)];
}

/** Rows of backups have the columns of the table. */
function asLinkRow(row: JsonRow): LinkRow {
  return row as unknown as LinkRow;
}
