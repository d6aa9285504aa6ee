/** The files of a backup: their names, formats and checksums. Where they lie is a `FileStore`. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";

import { BACKUP_FORMAT, RowKey } from "../../core/contract/backup.ts";
import type { FileStore } from "./file-store.ts";

const BackupFile = z.object({
  name: z.string().regex(/^(tables|clicks|images)\/[\w-]+(\.\w+)+$/),
  bytes: z.int(),
  sha256: z.string(),
});
export type BackupFile = z.infer<typeof BackupFile>;

const Counts = z.record(z.string(), z.int());
export type Counts = z.infer<typeof Counts>;

const AnyFormat = z.object({ format: z.int() });

const Heading = z.object({
  format: z.int().min(1),
  backup_id: z.string(),
  /** The release that made the backup. */
  release: z.string(),
  source: z.string(),
  /** ISO 8601. What was created later is not in the backup. */
  started_at: z.string(),
  counts: Counts,
  files: z.array(BackupFile),
});

export const Manifest = Heading.extend({ finished_at: z.string() });
export type Manifest = z.infer<typeof Manifest>;

const LogPlace = z.object({ position: z.int(), revision: z.int() });

/** How far an unfinished backup has come. */
export const Journal = Heading.extend({
  /** The run of the command that wrote it. */
  run: z.string(),
  /** Names of the tables, in their order. */
  tables: z.array(z.string()),
  /** Index of the table that is being read. */
  table: z.int(),
  /** Parts of this table that are written. */
  parts: z.int(),
  /** The last row that is written. */
  after: RowKey.nullable(),
  /** Links before it whose logs go on. */
  open: z.array(z.object({ link: RowKey, from: LogPlace, end: z.int() })),
});
export type Journal = z.infer<typeof Journal>;

const MANIFEST = "manifest.json";
const JOURNAL = "journal.json";

export class BackupFiles {
  readonly #store: FileStore;
  /** The journal as this command wrote it. */
  #journalText = "";

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** For people. */
  get place(): string {
    return this.#store.place;
  }

  /** @returns null when the backup is not complete @throws Error when it is of a later release, or damaged */
  manifest(): Promise<Manifest | null> {
    return this.#readKnown(Manifest, MANIFEST);
  }

  /** @throws Error when it is of a later release, or damaged */
  journal(): Promise<Journal | null> {
    return this.#readKnown(Journal, JOURNAL);
  }

  async saveJournal(journal: Journal): Promise<void> {
    this.#journalText = JSON.stringify(journal);
    await this.#store.write(JOURNAL, Buffer.from(this.#journalText));
  }

  /** @throws Error when another command has written the journal, or has finished, since this one did */
  async requireOwnJournal(): Promise<void> {
    const stored = await this.#store.read(JOURNAL);
    if (stored && Buffer.from(stored).toString("utf8") === this.#journalText) return;
    throw new Error(`Another command writes a backup to ${this.place}: let it end, or choose another place`);
  }

  /** The last file: with it the backup is complete. */
  async finish(manifest: Manifest): Promise<void> {
    await this.#store.write(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    await this.#store.remove(JOURNAL);
  }

  /** Writes a file; names that end with `.gz` are compressed. */
  async add(name: string, content: readonly Uint8Array[]): Promise<BackupFile> {
    const joined = Buffer.concat(content);
    const stored = name.endsWith(".gz") ? gzipSync(joined) : joined;
    await this.#store.write(name, stored);
    return { name, bytes: stored.length, sha256: sha256(stored) };
  }

  /** @throws Error when the file is missing or was changed */
  async read({ name, sha256: expected }: BackupFile): Promise<Uint8Array> {
    const stored = await this.#store.read(name);
    if (!stored) throw new Error(`${this.place}/${name} is missing`);
    if (sha256(stored) !== expected) throw new Error(`${this.place}/${name} is damaged: its checksum differs`);
    return name.endsWith(".gz") ? gunzipSync(stored) : stored;
  }

  async #readKnown<S extends z.ZodType>(schema: S, name: string): Promise<z.output<S> | null> {
    const stored = await this.#store.read(name);
    if (!stored) return null;
    const json = jsonIn(stored);
    // Before the rest, which a later release may write in another way.
    const format = AnyFormat.safeParse(json).data?.format;
    if (format !== undefined && format > BACKUP_FORMAT) {
      throw new Error(
        `${this.place} has format ${format}, of a later release: this one reads formats up to ${BACKUP_FORMAT}. Upgrade first`,
      );
    }
    const known = schema.safeParse(json);
    if (!known.success) throw new Error(`${this.place}/${name} is damaged: it is no ${name} of a backup`);
    return known.data;
  }
}

/** @returns undefined when it is no JSON */
function jsonIn(stored: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(stored).toString("utf8"));
  } catch {
    return undefined;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
