/**
 * The parts of a backup: gzip files of JSON Lines. The first line of a part describes it and names the previous part
 * with its checksum. The last line contains the cursor for the next part. Each line between is a page. A command needs
 * only the newest part to continue, and finds all others from there. Parts of two commands never have the same name.
 */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";

import { BACKUP_FORMAT, BackupCursor } from "../../core/contract/backup.ts";
import type { PartStore } from "./places.ts";

const NAME = /^\d{6}-[\da-f]{8}\.jsonl\.gz$/;

const PartReference = z.object({ name: z.string().regex(NAME), sha256: z.string() });

const FirstLine = z.object({
  format: z.int().min(1),
  backup_id: z.string(),
  /** The release that wrote the part. */
  release: z.string(),
  source: z.string(),
  /** ISO 8601. Data created later is not in the backup. */
  started_at: z.string(),
  /** Counted from 1. */
  number: z.int(),
  previous: PartReference.nullable(),
});

const LastLine = z.object({
  /** Null in the last part. */
  next: BackupCursor.nullable(),
  /** In this part and all previous ones. */
  counts: z.record(z.string(), z.int()),
  /** Total bytes of the previous parts. */
  bytes: z.int(),
  /** ISO 8601. */
  ended_at: z.string(),
});

/** Both lines. */
export type PartState = z.infer<typeof FirstLine> & z.infer<typeof LastLine>;

export type Part = PartState &
  z.infer<typeof PartReference> & {
    /** Each is the JSON of a `BackupPage`. */
    pages: string[];
    /** Bytes of this part. */
    size: number;
  };

/** @returns the newest part; null without parts @throws Error if it is from a later release, or damaged */
export async function readLastPart(store: PartStore): Promise<Part | null> {
  const name = (await store.list())
    .filter((each) => NAME.test(each))
    .toSorted()
    .at(-1);
  return name === undefined ? null : readPart(store, name);
}

/** @throws Error if it is missing, damaged, from a later release, or does not have this checksum */
export async function readPart(store: PartStore, name: string, sha256?: string): Promise<Part> {
  const stored = await store.get(name);
  if (!stored) throw new Error(`${store.place}/${name} is missing`);
  const reference = { name, sha256: checksum(stored) };
  if (sha256 !== undefined && sha256 !== reference.sha256)
    throw new Error(`${store.place}/${name} is damaged: its checksum differs`);
  try {
    const lines = gunzipSync(stored).toString("utf8").trimEnd().split("\n");
    const [first, last] = [jsonIn(lines[0]), jsonIn(lines.at(-1))];
    requireKnownFormat(store, first);
    const state = { ...FirstLine.parse(first), ...LastLine.parse(last) };
    return { ...state, ...reference, pages: lines.slice(1, -1), size: stored.length };
  } catch (error) {
    if (error instanceof LaterFormatError) throw error;
    throw new Error(`${store.place}/${name} is damaged: it isn't part of a backup`, { cause: error });
  }
}

export async function writePart(store: PartStore, state: PartState, pages: string[]): Promise<Part> {
  const lines = [JSON.stringify(FirstLine.parse(state)), ...pages, JSON.stringify(LastLine.parse(state)), ""];
  const stored = gzipSync(lines.join("\n"));
  const name = `${String(state.number).padStart(6, "0")}-${randomBytes(4).toString("hex")}.jsonl.gz`;
  await store.put(name, stored);
  return { ...state, name, sha256: checksum(stored), pages, size: stored.length };
}

class LaterFormatError extends Error {}

/** Checked before the rest, which a later release may write in another format. */
function requireKnownFormat({ place }: PartStore, first: unknown): void {
  const format = z.object({ format: z.int() }).safeParse(first).data?.format ?? 0;
  if (format <= BACKUP_FORMAT) return;
  throw new LaterFormatError(
    `${place} has format ${format}, from a later release. This release reads formats up to ${BACKUP_FORMAT}. Upgrade first.`,
  );
}

function jsonIn(line = ""): unknown {
  return JSON.parse(line);
}

function checksum(bytes: Uint8Array): string {
  return createHash("sha256").update(Buffer.from(bytes)).digest("hex");
}
