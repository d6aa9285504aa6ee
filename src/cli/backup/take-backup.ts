/**
 * `admin backup`: copies an installation, page by page, into parts. The last line of each part contains the cursor for
 * the next one, so an interrupted command can continue. The Worker (store/backup) decides which rows are read next.
 */
import { randomUUID } from "node:crypto";

import { BACKUP_FORMAT, type BackupPage, BackupReply } from "../../core/contract/backup.ts";
import { figure } from "../../core/limits.ts";
import { RELEASE } from "../../core/release.ts";
import { timestamp } from "../../core/time.ts";
import type { OperatorApi } from "./operator-api.ts";
import { type Part, readLastPart, writePart } from "./parts.ts";
import type { PartStore } from "./places.ts";

export interface BackupCommand {
  api: OperatorApi;
  store: PartStore;
  /** The installation's URL. */
  url: string;
  /** Prints a line after each part. */
  report: (line: string) => void;
}

/**
 * Number of characters after which a part is written. Later parts are larger: an interruption loses a small share of
 * the work, and a large backup has few files.
 */
const PART_MIN_CHARS = 512 * 1024;
const PART_MAX_CHARS = 32 * 1024 * 1024;

/** @returns the last part */
export async function takeBackup(command: BackupCommand): Promise<Part> {
  const { store, url, report } = command;
  let last = await readLastPart(store);
  if (last?.next === null) throw new Error(`${store.place} already has a complete backup. Choose another place.`);
  if (last && last.source !== url)
    throw new Error(`${store.place} has parts of a backup of ${last.source}. Choose another place.`);
  if (last) report(`Resuming the backup that began at ${last.started_at}`);
  do last = await takePart(command, last);
  while (last.next);
  return last;
}

async function takePart({ api, store, url, report }: BackupCommand, previous: Part | null): Promise<Part> {
  const number = (previous?.number ?? 0) + 1;
  const counts: Part["counts"] = { ...previous?.counts };
  const pages: string[] = [];
  let [chars, table] = [0, ""];
  let reply: BackupReply;
  let next = previous?.next ?? null;
  do {
    reply = await api.post(BackupReply, "/backup", { format: BACKUP_FORMAT, cursor: next });
    if (reply.page) {
      const line = JSON.stringify(reply.page);
      pages.push(line);
      chars += line.length;
      ({ table } = reply.page);
      for (const [name, more] of Object.entries(countsOf(reply.page))) counts[name] = (counts[name] ?? 0) + more;
    }
    ({ next } = reply);
  } while (next && chars < Math.min(PART_MIN_CHARS * number, PART_MAX_CHARS));
  const state = {
    format: BACKUP_FORMAT,
    backup_id: previous?.backup_id ?? randomUUID(),
    release: RELEASE,
    source: url,
    started_at: previous?.started_at ?? timestamp(reply.created_until),
    number,
    previous: previous && { name: previous.name, sha256: previous.sha256 },
    next,
    counts,
    bytes: (previous?.bytes ?? 0) + (previous?.size ?? 0),
    ended_at: timestamp(Date.now()),
  };
  const part = await writePart(store, state, pages);
  report(progressLine(table, part));
  return part;
}

function countsOf({ table, rows, logs, images }: BackupPage): Record<string, number> {
  if (table === "links") {
    const begun = logs.filter(({ from }) => from.position === 0 && from.revision === 0);
    return { links: rows.length, clicks: begun.reduce((sum, { end }) => sum + end, 0) };
  }
  if (table !== "qr_codes") return { [table]: rows.length };
  const found = Object.keys(images).length;
  return { qr_codes: rows.length, images: found, ...(found < rows.length && { images_missing: rows.length - found }) };
}

function progressLine(table: string, { counts, bytes, size }: Part): string {
  const clicks = table === "links" ? `, ${figure(counts.clicks ?? 0)} clicks` : "";
  return `${table}: ${figure(counts[table] ?? 0)} rows${clicks}; ${((bytes + size) / 1e6).toFixed(1)} MB in total`;
}
