/**
 * Rows of a link's click log in a backup: the batches as they are stored, and the revisions of the link under which
 * clicks were recorded. Written as bytes, one row after the other. Pure.
 */
import { isKnownFormat, packedCount } from "../clicks/encoding/click-batch.ts";
import { ByteReader, type ByteWriter } from "../clicks/encoding/varint-bytes.ts";

/** A row of the table `batches`. */
export interface StoredBatch {
  position: number;
  /** Epoch ms. */
  at: number;
  /** The sender's id of the batch. */
  batch: number;
  revision: number;
  times: Uint8Array | null;
  columns: Uint8Array;
  /** Times before they were raised (core/clicks/encoding/click-batch.ts). */
  visited: Uint8Array | null;
  /** JSON of the link under this revision; in the first row alone. */
  snapshot: string | null;
}

/** A row of the table `revisions`. */
export interface StoredRevision {
  revision: number;
  /** JSON. */
  snapshot: string;
}

export interface LogRows {
  batches: StoredBatch[];
  revisions: StoredRevision[];
}

const BATCH_ROW = 1;
const REVISION_ROW = 2;

export function encodeBatch(bytes: ByteWriter, { position, at, batch, revision, ...row }: StoredBatch): void {
  for (const value of [BATCH_ROW, position, at, batch, revision]) bytes.varint(value);
  writeOptional(bytes, row.visited);
  writeOptional(bytes, row.times);
  writeOptional(bytes, row.columns);
  writeOptional(bytes, row.snapshot === null ? null : new TextEncoder().encode(row.snapshot));
}

export function encodeRevision(bytes: ByteWriter, { revision, snapshot }: StoredRevision): void {
  bytes.varint(REVISION_ROW);
  bytes.varint(revision);
  writeOptional(bytes, new TextEncoder().encode(snapshot));
}

/** @returns null when the bytes are damaged, or of a later release */
export function decodeLogRows(bytes: Uint8Array): LogRows | null {
  const reader = new ByteReader(bytes);
  const rows: LogRows = { batches: [], revisions: [] };
  while (!reader.done) {
    const kind = reader.varint();
    const batch = kind === BATCH_ROW ? readBatch(reader) : null;
    const revision = kind === REVISION_ROW ? readRevision(reader) : null;
    if (batch) rows.batches.push(batch);
    else if (revision) rows.revisions.push(revision);
    else return null;
  }
  return rows;
}

function readBatch(reader: ByteReader): StoredBatch | null {
  const [position, at, batch, revision] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
  const [visited, times] = [readOptional(reader), readOptional(reader)];
  const [columns, snapshot] = [readOptional(reader), readOptional(reader)];
  if (visited === undefined || times === undefined || !columns || snapshot === undefined) return null;
  const count = packedCount(columns);
  if (count === 0 || !isKnownFormat({ columns })) return null;
  const json = snapshot && new TextDecoder().decode(snapshot);
  return { position, at, batch, revision, times, columns, visited, snapshot: json };
}

function readRevision(reader: ByteReader): StoredRevision | null {
  const revision = reader.varint();
  const snapshot = readOptional(reader);
  return snapshot ? { revision, snapshot: new TextDecoder().decode(snapshot) } : null;
}

/** Bytes after their number plus one; zero for null. */
function writeOptional(bytes: ByteWriter, value: Uint8Array | null): void {
  bytes.varint(value === null ? 0 : value.length + 1);
  if (value) bytes.bytes(value);
}

/** @returns undefined when the bytes end before */
function readOptional(reader: ByteReader): Uint8Array | null | undefined {
  const count = reader.varint() - 1;
  if (count < 0) return null;
  const value = reader.bytes(count);
  return value.length === count ? value : undefined;
}
