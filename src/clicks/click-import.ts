/**
 * Adds the clicks of an import to a link's log, and removes them. Loaded only for imports. Runs in one transaction, so
 * that a killed object has all clicks of a request or none.
 */
import { BatchBuilder } from "../core/clicks/encoding/batch-builder.ts";
import type { PackedClicks } from "../core/clicks/encoding/click-batch.ts";
import type { NewClick } from "../core/clicks/facts.ts";
import type { ImportRequest, ImportResult, UndoResult } from "../core/clicks/protocol/link-object-rpc.ts";
import { IMPORTED_CLICKS_MAX, IMPORTS_OF_LINK_MAX } from "../core/limits.ts";
import { PARTS_MAX } from "./blob-table.ts";
import type { JoinedLog, LogStart } from "./joined-log.ts";
import { hasTable, IMPORTED_PREFIX } from "./schema.ts";
import { BLOCK_CLICKS, FAN_OUT, LEVELS } from "./summaries.ts";

/** Number of clicks of an import, whether another one follows, and whether one that followed was undone. */
function clicksOf({ starts }: JoinedLog, importId: string) {
  const i = starts.findIndex(({ id }) => id === importId);
  const [start, next] = i < 0 ? [] : [starts[i], starts[i + 1]];
  const clicks = start && next ? next.position - start.position : 0;
  return { clicks, isLast: next?.id === "", hasGap: start && next ? next.seq > start.seq + clicks : false };
}

/** @param hasClicks  whether the link has recorded clicks */
export function importClicks(
  sql: SqlStorage,
  log: JoinedLog,
  { importId, offset, clicks, snapshot }: ImportRequest,
  hasClicks: boolean,
): ImportResult {
  const { clicks: stored, isLast, hasGap } = clicksOf(log, importId);
  if (offset > stored) return { kind: "offset_too_high", clicks: stored };
  const missing = clicks.slice(stored - offset);
  const [first] = missing;
  if (!first) return { kind: "imported", clicks: stored };
  const isNew = stored === 0;
  const { count, lastAt } = log.imported;
  if (hasClicks || (!isNew && !isLast) || (isNew && first.visit.at <= lastAt))
    return { kind: "link_has_clicks", clicks: stored };
  // Numbers of an import are consecutive, and those of undone clicks are not issued again.
  if (hasGap) return { kind: "later_undone", clicks: stored };
  if (first.visit.at < lastAt) return { kind: "out_of_order", clicks: stored };
  const isFull = isNew && log.starts.length > IMPORTS_OF_LINK_MAX;
  if (isFull || count + missing.length > IMPORTED_CLICKS_MAX) return { kind: "too_many", clicks: stored };
  append(sql, log, importId, missing, snapshot);
  return { kind: "imported", clicks: stored + missing.length };
}

function append(
  sql: SqlStorage,
  { imported, starts }: JoinedLog,
  id: string,
  clicks: readonly NewClick[],
  link: ImportRequest["snapshot"],
): void {
  const { seq, position } = starts.at(-1) ?? { seq: 0, position: 0 };
  // All imported clicks of a link have one revision, which is in the row of the first.
  const revision = imported.count > 0 ? importedRevision(sql) : link.revision;
  const row = { id: 0, revision, visited: null, snapshot: JSON.stringify(link) };
  for (const batch of batchesOf(clicks)) {
    imported.appendStored(batch, imported.count > 0 ? { ...row, snapshot: null } : row);
  }
  createTable(sql);
  sql.exec("INSERT INTO imports (id, seq, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, seq, position);
  saveEnd(sql, { seq: seq + clicks.length, position: position + clicks.length });
}

export function importedRevision(sql: SqlStorage): number {
  return sql.exec<{ revision: number }>(`SELECT revision FROM ${IMPORTED_PREFIX}batches WHERE position = 0`).one()
    .revision;
}

function saveEnd(sql: SqlStorage, { seq, position }: Omit<LogStart, "id">): void {
  sql.exec(
    "INSERT INTO imports (id, seq, position) VALUES ('', ?1, ?2) ON CONFLICT DO UPDATE SET seq = ?1, position = ?2",
    seq,
    position,
  );
}

function createTable(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS imports (
      id TEXT PRIMARY KEY, -- imp_...; '' for the end of the last one
      seq INTEGER NOT NULL, -- sequence number of the last click before it
      position INTEGER NOT NULL -- of its first click in the table of imported batches
    ) STRICT, WITHOUT ROWID`);
}

function batchesOf(clicks: readonly NewClick[]): PackedClicks[] {
  const builders: BatchBuilder[] = [];
  for (const click of clicks) {
    if (builders.at(-1)?.isFull !== false) builders.push(new BatchBuilder());
    builders.at(-1)?.add(click);
  }
  return builders.map((builder) => builder.pack());
}

/** Removes the clicks of an import; does nothing if there are none. Their sequence numbers stay unused. */
export function undoImport(sql: SqlStorage, log: JoinedLog, importId: string, hasClicks: boolean): UndoResult {
  const { isLast } = clicksOf(log, importId);
  const start = log.starts.find(({ id }) => id === importId);
  if (!start) return { kind: "undone" };
  if (!isLast) return { kind: "later_imports" };
  truncate(sql, start.position);
  if (start.position === 0 && !hasClicks && hasTable(sql, "revisions")) sql.exec("DELETE FROM revisions");
  sql.exec("DELETE FROM imports WHERE id = ?", importId);
  saveEnd(sql, { seq: log.starts.at(-1)?.seq ?? 0, position: start.position });
  return { kind: "undone" };
}

/**
 * Writes the rows of a copy that was read while clicks were imported or undone: it may have more imported clicks than
 * its rows, or fewer.
 */
export function restoreImports(sql: SqlStorage, rows: readonly LogStart[], count: number): void {
  createTable(sql);
  sql.exec("DELETE FROM imports");
  for (const { id, seq, position } of rows) {
    const end = Math.min(position, count);
    if (id === "" || position < count)
      sql.exec("INSERT INTO imports (id, seq, position) VALUES (?, ?, ?)", id, seq, end);
    if (id === "" && position < count) truncate(sql, position);
  }
}

/**
 * Keeps the first clicks. Summaries and blocks that include others are incomplete again. Tables are never dropped: that
 * fails while a read of them is not over.
 */
function truncate(sql: SqlStorage, count: number): void {
  const [batches = "", summaries = "", blocks = ""] = ["batches", "summaries", "blocks"]
    .map((name) => IMPORTED_PREFIX + name)
    .map((name) => (hasTable(sql, name) ? name : ""));
  if (batches) sql.exec(`DELETE FROM ${batches} WHERE position >= ?`, count);
  for (let level = 0, clicks = BLOCK_CLICKS; summaries && level < LEVELS; level++, clicks *= FAN_OUT) {
    const first = Math.floor(count / clicks) * LEVELS;
    sql.exec(`DELETE FROM ${summaries} WHERE id >= ? AND id % ${LEVELS} = ?`, first, level);
  }
  if (blocks) sql.exec(`DELETE FROM ${blocks} WHERE id >= ?`, Math.floor(count / BLOCK_CLICKS) * PARTS_MAX);
}
