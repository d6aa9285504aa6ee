/**
 * Copies a link's click log into a backup, and back into an object without one. Batches are copied as stored, so the
 * copy has the same statistics as the original: the code that writes summaries for new clicks writes those of the copy.
 * Loaded only for backups.
 */
import type { CopiedBatch, CopiedRevision, LogPlace } from "../core/contract/backup.ts";
import { isKnownFormat, packedCount } from "../core/clicks/encoding/click-batch.ts";
import type {
  CopyLogRequest,
  CopyLogResult,
  RestoreLogRequest,
  RestoreLogResult,
} from "../core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { ClickLog } from "./click-log.ts";
import { restoreImports } from "./click-import.ts";
import { JoinedLog, NO_IMPORTS } from "./joined-log.ts";
import { Revisions, StoredTimes } from "./link-state.ts";
import { hasTable, IMPORTED_PREFIX, tableNames } from "./schema.ts";

/** Characters of a batch's other members, as JSON. */
const ROW_CHARS = 150;

/** A batch as stored. */
type Batch = ReturnType<typeof batchOf>;

/** Returns a part of the log. Later parts end at the end that the first part reported. */
export function copyLog(sql: SqlStorage, { from, end, maxChars }: CopyLogRequest): CopyLogResult {
  const { count } = new ClickLog(sql);
  // If there are fewer clicks than before, they were erased in the meantime.
  const until = Math.min(end ?? count, count);
  const { starts } = new JoinedLog(sql, tableNames(sql), new ClickLog(sql));
  const imports = starts[0] === NO_IMPORTS ? {} : { imports: [...starts] };
  const rows = copyRows(sql, from, until, maxChars);
  return { kind: "copied", ...rows, ...imports, end: until, floor: new StoredTimes(sql).get("floor") };
}

/** `next`: where to continue; null when everything is copied. */
function copyRows(sql: SqlStorage, from: LogPlace, until: number, maxChars: number) {
  const batches: CopiedBatch[] = [];
  const revisions: CopiedRevision[] = [];
  let chars = 0;
  let { position, revision } = from;
  const add = (batch: CopiedBatch) => {
    batches.push(batch);
    for (const text of [batch.columns, batch.times, batch.visited, batch.snapshot]) chars += text?.length ?? 0;
    chars += ROW_CHARS;
  };
  for (const batch of storedBatches(sql, true, from.imported ?? Infinity, Infinity)) {
    if (chars >= maxChars) return { batches, revisions, next: { ...from, imported: batch.position } };
    add({ ...batch, imported: true });
  }
  for (const batch of storedBatches(sql, false, position, until)) {
    if (chars >= maxChars) return { batches, revisions, next: { position: batch.position, revision } };
    add(batch);
    position = until;
  }
  for (const stored of storedRevisions(sql, revision)) {
    if (chars >= maxChars) return { batches, revisions, next: { position, revision } };
    revisions.push(stored);
    chars += stored.snapshot.length;
    ({ revision } = stored);
  }
  return { batches, revisions, next: null };
}

/** Rows are read one by one, on demand. */
function storedBatches(sql: SqlStorage, isImported: boolean, from: number, until: number): Iterable<CopiedBatch> {
  const table = `${isImported ? IMPORTED_PREFIX : ""}batches`;
  if (!hasTable(sql, table)) return [];
  return sql.exec<Omit<CopiedBatch, "imported">>(
    `SELECT position, at, batch, revision, nullif(hex(times), '') AS times, hex(columns) AS columns,
       nullif(hex(visited), '') AS visited, snapshot FROM ${table}
     WHERE position >= ? AND position < ? ORDER BY position`,
    Math.min(from, Number.MAX_SAFE_INTEGER),
    Math.min(until, Number.MAX_SAFE_INTEGER),
  );
}

function storedRevisions(sql: SqlStorage, after: number): Iterable<CopiedRevision> {
  if (!hasTable(sql, "revisions")) return [];
  return sql.exec<CopiedRevision>(
    "SELECT revision, snapshot FROM revisions WHERE revision > ? ORDER BY revision",
    after,
  );
}

/**
 * Appends rows of a copy. Rows that are already stored change nothing, so a request may be repeated. If rows differ
 * from the stored ones, the request is refused and nothing is written.
 */
export function restoreLog(storage: DurableObjectStorage, request: RestoreLogRequest): RestoreLogResult {
  const { sql } = storage;
  const log = new ClickLog(sql);
  const { imported } = new JoinedLog(sql, tableNames(sql), log);
  const isEmpty = () => log.count + imported.count === 0;
  const missing: { to: ClickLog; batch: Batch }[] = [];
  const ends = new Map([log, imported].map((each) => [each, each.count]));
  for (const copied of request.batches) {
    const batch = decodeBatch(copied);
    if (!batch) return { kind: "unknown_format" };
    const to = copied.imported ? imported : log;
    const isHere = copied.position < to.count;
    if (isHere ? !isStored(sql, copied) : copied.position !== ends.get(to)) return { kind: "conflict" };
    if (isHere) continue;
    missing.push({ to, batch });
    ends.set(to, copied.position + batch.clicks.count);
  }
  if (isEmpty() && missing[0] && !isOf(request.linkId, missing[0].batch)) return { kind: "conflict" };
  return storage.transactionSync(() => {
    for (const { to, batch } of missing) to.appendStored(batch.clicks, batch.row);
    if (request.imports) restoreImports(sql, request.imports, imported.count);
    if (!isEmpty()) restoreRevisions(sql, request);
    if (!isEmpty()) restoreTimes(new StoredTimes(sql), request.floor);
    return { kind: "restored", count: log.count };
  });
}

/** @returns null when the batch is damaged, or from a later release */
function decodeBatch(copied: CopiedBatch): Batch | null {
  try {
    const batch = batchOf(copied);
    return batch.clicks.count > 0 && isKnownFormat(batch.clicks) ? batch : null;
  } catch {
    return null;
  }
}

/** @throws SyntaxError when the batch is damaged */
function batchOf({ at, batch: id, revision, snapshot, ...hex }: CopiedBatch) {
  const columns = Uint8Array.fromHex(hex.columns);
  const times = hex.times === null ? null : Uint8Array.fromHex(hex.times);
  const visited = hex.visited === null ? null : Uint8Array.fromHex(hex.visited);
  return { clicks: { at, times, columns, count: packedCount(columns) }, row: { id, revision, visited, snapshot } };
}

function isStored(sql: SqlStorage, { imported, position, at, batch, columns }: CopiedBatch): boolean {
  const [stored] = storedBatches(sql, imported === true, position, position + 1);
  return stored?.at === at && stored.batch === batch && stored.columns === columns;
}

/** Whether the log's first batch belongs to this link. That batch determines whose clicks the object stores. */
function isOf(linkId: string, { row: { snapshot } }: Batch): boolean {
  return snapshot !== null && (JSON.parse(snapshot) as LinkSnapshot).id === linkId;
}

function restoreRevisions(sql: SqlStorage, { revisions: copied, snapshot: newest }: RestoreLogRequest): void {
  const revisions = new Revisions(sql);
  for (const { snapshot } of copied) revisions.add(JSON.parse(snapshot) as LinkSnapshot);
  if (newest) revisions.learn(newest);
}

function restoreTimes(times: StoredTimes, floor: number): void {
  if (floor > times.get("floor")) times.set("floor", floor);
  if (times.get("restored") === 0) times.set("restored", Date.now());
}
