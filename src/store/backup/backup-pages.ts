/**
 * Reads the pages of a backup, and restores them. A page has rows of one table: those of links with their click logs,
 * those of QR codes with their images. A link's row is read after its log. So the row is never older than a revision in
 * the log, or than a change that its object knows.
 */
import type {
  BackupCursor,
  BackupPage,
  BackupReply,
  JsonRow,
  LogPart,
  LogPlace,
  RowKey,
} from "../../core/contract/backup.ts";
import { MODES } from "../../core/account.ts";
import { restoreFeed } from "../account-object-client.ts";
import { copyLinkLog, restoreLinkLog } from "../link-object-client.ts";
import { type LinkRow, snapshotOf } from "../links/link-rows.ts";
import { readImage, restoreImage } from "../qr-codes.ts";
import {
  BACKED_UP_TABLE_NAMES,
  BACKED_UP_TABLES,
  ConflictError,
  insertTableRows,
  pageRowsOf,
  readLinkRows,
  readTableRows,
} from "./table-rows.ts";
import { queryRows } from "../statements.ts";

/** Maximum characters of each log in a page of many links, and of a log in a separate page. */
const SHARED_PART_CHARS = 128 * 1024;
const SINGLE_PART_CHARS = 2 * 1024 * 1024;
/** Maximum characters of a page's logs: far below a restore's limit, since a log's last batch comes on top. */
const PAGE_LOGS_CHARS = 4 * 1024 * 1024;

const FIRST_PART = { from: { imported: 0, position: 0, revision: 0 }, end: null, maxChars: SHARED_PART_CHARS };

const ALL_TABLES = BACKED_UP_TABLE_NAMES.join();

export function firstCursor(): BackupCursor {
  return { tables: ALL_TABLES, table: 0, after: null, open: [], created_until: Date.now() };
}

/** Reads the page at a cursor. @returns null when the cursor is from a release with other tables */
export async function readBackupPage(env: Env, cursor: BackupCursor): Promise<BackupReply | null> {
  const { tables, created_until } = cursor;
  if (tables !== ALL_TABLES) return null;
  const [open, ...others] = cursor.open;
  if (open) {
    const part = { from: open.from, end: open.end, maxChars: SINGLE_PART_CHARS };
    return readLogs(env, await readLinkRows(env, [open.link]), part, { ...cursor, open: others });
  }
  for (let { table, after } = cursor; ; table++, after = null) {
    const name = BACKED_UP_TABLE_NAMES[table];
    if (name === undefined) return { page: null, next: null, created_until };
    const rows = await readTableRows(env, name, { after, createdUntil: created_until, limit: pageRowsOf(name) });
    const last = rows.at(-1);
    if (!last) continue;
    const next = { ...cursor, table, after: BACKED_UP_TABLES[name].key.map((column) => String(last[column])) };
    if (name === "links") return readLogs(env, rows, FIRST_PART, next);
    const images = name === "qr_codes" || name === "social_images" ? await readImages(env, rows) : {};
    return { page: { table: name, rows, logs: [], images }, next, created_until };
  }
}

/**
 * Reads a page with a part of each link's log, or all of it if there are few clicks.
 * @param part  where the parts begin, and where the logs end (null: where they end now)
 * @param next  where the backup continues when these logs are complete
 */
async function readLogs(
  env: Env,
  listed: readonly JsonRow[],
  part: { from: LogPlace; end: number | null; maxChars: number },
  next: BackupCursor,
): Promise<BackupReply> {
  const kept = await withoutErased(env, listed);
  const copied = withinPage(await Promise.all(kept.map((row) => copyPart(env, row, part))));
  const unfinished = copied.filter(({ next: rest }) => rest);
  const open = unfinished.map((log) => ({ link: keyOf(log), from: log.next ?? log.from, end: log.end }));
  const complete = listed.filter((row) => !unfinished.some(({ id }) => id === row.id));
  const rows = await readLinkRows(env, complete.map(keyOf));
  const page = {
    table: "links",
    rows,
    logs: copied.filter(({ end, batches, from, next: rest }) => end + batches.length > 0 && rest !== from),
    images: {},
  };
  return { page, next: { ...next, open: [...open, ...next.open] }, created_until: next.created_until };
}

/** Leaves logs that do not fit into the page for separate pages. */
function withinPage(logs: readonly LogPart[]): LogPart[] {
  let chars = 0;
  return logs.map((log, i) => {
    chars += charsOf(log);
    return i === 0 || chars <= PAGE_LOGS_CHARS ? log : { ...log, next: log.from, batches: [], revisions: [] };
  });
}

function charsOf({ batches, revisions }: LogPart): number {
  return [...batches, ...revisions].flatMap(Object.values).reduce((sum, value) => sum + String(value ?? "").length, 0);
}

async function copyPart(
  env: Env,
  row: JsonRow,
  part: { from: LogPlace; end: number | null; maxChars: number },
): Promise<LogPart> {
  const link = snapshotOf(asLinkRow(row));
  const { kind: _, ...copied } = await copyLinkLog(env, link, part);
  const { accountId, mode, id, domain, slug, objectName = null } = link;
  return { account_id: accountId, mode, id, domain, slug, object_name: objectName, from: part.from, ...copied };
}

async function readImages(env: Env, rows: readonly JsonRow[]): Promise<Record<string, string>> {
  const images = await Promise.all(
    rows.map(async ({ id, format }): Promise<[string, string][]> => {
      const name = `${String(id)}.${String(format)}`;
      const image = await readImage(env, name, null);
      return image?.body ? [[name, (await new Response(image.body).bytes()).toHex()]] : [];
    }),
  );
  return Object.fromEntries(images.flat());
}

/** Excludes links whose clicks were or will be erased: no backup includes them. */
async function withoutErased(env: Env, rows: readonly JsonRow[]): Promise<JsonRow[]> {
  const sql = `SELECT account_id FROM account_states WHERE state = 'closed' AND account_id IN
    (SELECT value FROM json_each(?1))`;
  const ids = JSON.stringify(rows.map(({ account_id }) => account_id));
  const accounts = await queryRows<{ account_id: string }>(env.DB, sql, [ids]);
  const closed = new Set<unknown>(accounts.map(({ account_id }) => account_id));
  return rows.filter(({ account_id, erase_at }) => erase_at === null && !closed.has(account_id));
}

/**
 * Restores a page: logs and images before the rows that refer to them. Existing data stays, so that a page may be
 * restored again.
 * @throws ConflictError if the installation has different data for it
 */
export async function restoreBackupPage(env: Env, { table, rows, logs, images }: BackupPage): Promise<void> {
  const name = BACKED_UP_TABLE_NAMES.find((known) => known === table);
  if (!name) throw new ConflictError(`The table ${table} does not exist: the backup is from a later release`);
  const byId = new Map(rows.map((row) => [row["id"], row]));
  await Promise.all([
    ...logs.map((part) => restoreLog(env, part, byId.get(part.id))),
    ...Object.entries(images).map(async ([image, hex]) => {
      if (!(await restoreImage(env, image, Uint8Array.fromHex(hex))))
        throw new ConflictError(`A different image named ${image} already exists`);
    }),
  ]);
  await (name === "feeds" ? restoreFeeds(env, rows) : insertTableRows(env, name, rows));
}

const LOG_CONFLICTS: Partial<Record<string, string>> = {
  conflict: "There are other clicks of this link already",
  unknown_format: "The log of this link is damaged, or from a later release",
};

/** Appends a part to the log of a link not yet in the database. @param row  the link's, with the last part */
async function restoreLog(env: Env, part: LogPart, row: JsonRow | undefined): Promise<void> {
  const { id, domain, slug, object_name, floor, batches, revisions, imports } = part;
  const link = { id, domain, slug, ...(object_name === null ? {} : { objectName: object_name }) };
  const snapshot = row && !part.next ? snapshotOf(asLinkRow(row)) : null;
  const rows = { batches, revisions, ...(imports && { imports }) };
  const { kind } = await restoreLinkLog(env, link, { linkId: id, ...rows, floor, snapshot });
  if (kind !== "restored") throw new ConflictError(`${LOG_CONFLICTS[kind] ?? kind}: ${id}`);
}

/**
 * Restores feeds. No backup has their events, but clients return with cursors of the lost log: they get a gap, and read
 * the missed events from the click logs.
 * @param rows  rows of the table `feeds`; none are written here, since no streams are open yet
 */
async function restoreFeeds(env: Env, rows: readonly JsonRow[]): Promise<void> {
  await Promise.all(
    rows.map(async ({ account_id, mode }) => {
      const known = MODES.find((each) => each === mode);
      if (known) await restoreFeed(env, String(account_id), known);
    }),
  );
}

function keyOf({ account_id, mode, id }: JsonRow | LogPart): RowKey {
  return [String(account_id), String(mode), String(id)];
}

/** Backup rows have the columns of the table. */
function asLinkRow(row: JsonRow): LinkRow {
  return row as unknown as LinkRow;
}
