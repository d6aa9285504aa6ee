/**
 * Copies a link's click log into a backup, and back into an object that has none. Batches are copied as they are
 * stored, so the statistics of the copy are those of the original: its summaries are written by the code that writes
 * them for new clicks. Loaded only for that.
 */
import {
  decodeLogRows,
  encodeBatch,
  encodeRevision,
  type LogRows,
  type StoredBatch,
  type StoredRevision,
} from "../core/backup/log-rows.ts";
import { packedCount } from "../core/clicks/encoding/click-batch.ts";
import type {
  CopyLogRequest,
  CopyLogResult,
  LogPlace,
  RestoreLogRequest,
  RestoreLogResult,
} from "../core/clicks/protocol/link-object-rpc.ts";
import { ByteWriter } from "../core/clicks/encoding/varint-bytes.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { ClickLog } from "./click-log.ts";
import { Revisions, StoredTimes } from "./link-state.ts";
import { hasTable } from "./schema.ts";

/** A part of the log. The later parts end where the first one said that the log ends. */
export function copyLog(sql: SqlStorage, { from, end, maxBytes }: CopyLogRequest): CopyLogResult {
  const { count } = new ClickLog(sql);
  // Fewer clicks than before: they were erased meanwhile.
  const until = Math.min(end ?? count, count);
  const bytes = new ByteWriter();
  const next = count === 0 ? null : writeRows(sql, bytes, from, until, maxBytes);
  return { kind: "copied", rows: bytes.toBytes(), next, end: until, floor: new StoredTimes(sql).get("floor") };
}

/** @returns where to continue; null when all is written */
function writeRows(
  sql: SqlStorage,
  bytes: ByteWriter,
  from: LogPlace,
  until: number,
  maxBytes: number,
): LogPlace | null {
  let { position, revision } = from;
  for (const batch of storedBatches(sql, position, until)) {
    if (bytes.length >= maxBytes) return { position: batch.position, revision };
    encodeBatch(bytes, batch);
    position = until;
  }
  for (const stored of storedRevisions(sql, revision)) {
    if (bytes.length >= maxBytes) return { position, revision };
    encodeRevision(bytes, stored);
    ({ revision } = stored);
  }
  return null;
}

type BatchRow = Omit<StoredBatch, "times" | "columns" | "visited"> & {
  times: ArrayBuffer | null;
  columns: ArrayBuffer;
  visited: ArrayBuffer | null;
};

function* storedBatches(sql: SqlStorage, from: number, until: number): Generator<StoredBatch> {
  const rows = sql.exec<BatchRow>(
    `SELECT position, at, batch, revision, times, columns, visited, snapshot FROM batches
     WHERE position >= ? AND position < ? ORDER BY position`,
    from,
    until,
  );
  for (const { times, columns, visited, ...row } of rows) {
    yield { ...row, times: bytesOf(times), columns: new Uint8Array(columns), visited: bytesOf(visited) };
  }
}

function bytesOf(blob: ArrayBuffer | null): Uint8Array | null {
  return blob && new Uint8Array(blob);
}

function storedRevisions(sql: SqlStorage, after: number): Iterable<StoredRevision & Record<string, SqlStorageValue>> {
  if (!hasTable(sql, "revisions")) return [];
  return sql.exec("SELECT revision, snapshot FROM revisions WHERE revision > ? ORDER BY revision", after);
}

/**
 * Appends rows of a copy. Rows that are here already change nothing, so that a request may be repeated; rows that
 * differ from what is here are refused, and nothing is written.
 */
export function restoreLog(storage: DurableObjectStorage, request: RestoreLogRequest): RestoreLogResult {
  const rows = decodeLogRows(request.rows);
  if (!rows) return { kind: "unknown_format" };
  const { sql } = storage;
  const log = new ClickLog(sql);
  const missing = missingBatches(sql, log.count, rows.batches);
  if (!missing || !belongsTo(request.linkId, log.count, missing)) return { kind: "conflict" };
  return storage.transactionSync(() => {
    for (const batch of missing) log.appendStored(batch);
    if (log.count > 0) restoreRevisions(sql, rows, request.snapshot);
    if (log.count > 0) restoreTimes(new StoredTimes(sql), request.floor);
    return { kind: "restored", count: log.count };
  });
}

/** @returns the batches after the log's end; null when one differs from the log, or is not the next */
function missingBatches(sql: SqlStorage, count: number, batches: readonly StoredBatch[]): StoredBatch[] | null {
  const known = batches.filter(({ position }) => position < count);
  if (!known.every((batch) => isStored(sql, batch))) return null;
  const missing = batches.slice(known.length);
  let expected = count;
  for (const { position, columns } of missing) {
    if (position !== expected) return null;
    expected += packedCount(columns);
  }
  return missing;
}

/** The same batch by its id, time and length: the ids are random. */
function isStored(sql: SqlStorage, { position, at, batch, columns }: StoredBatch): boolean {
  const found = sql.exec(
    "SELECT 1 FROM batches WHERE position = ? AND at = ? AND batch = ? AND length(columns) = ?",
    position,
    at,
    batch,
    columns.length,
  );
  return found.toArray().length > 0;
}

/** Whether the log's first batch is of this link; with it the object learns whose clicks it stores. */
function belongsTo(linkId: string, count: number, [first]: readonly StoredBatch[]): boolean {
  if (count > 0 || !first) return true;
  return first.snapshot !== null && snapshotFrom(first.snapshot)?.id === linkId;
}

function restoreRevisions(sql: SqlStorage, rows: LogRows, newest: LinkSnapshot | null): void {
  const revisions = new Revisions(sql);
  for (const { snapshot } of rows.revisions) {
    const stored = snapshotFrom(snapshot);
    if (stored) revisions.add(stored);
  }
  if (newest && newest.revision > revisions.latest) revisions.add(newest);
}

function restoreTimes(times: StoredTimes, floor: number): void {
  if (floor > times.get("floor")) times.set("floor", floor);
  if (times.get("restored") === 0) times.set("restored", Date.now());
}

function snapshotFrom(json: string): LinkSnapshot | null {
  try {
    return JSON.parse(json) as LinkSnapshot;
  } catch {
    return null;
  }
}
