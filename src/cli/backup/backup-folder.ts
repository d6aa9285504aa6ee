/**
 * The files of a backup. A file is written under another name first, so that it is there whole or not at all, wherever
 * the command is cut.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";

import { RowKey } from "../../core/contract/backup.ts";

const BackupFile = z.object({
  name: z.string().regex(/^(tables|clicks|images)\/[\w-]+(\.\w+)+$/),
  bytes: z.int(),
  sha256: z.string(),
});
export type BackupFile = z.infer<typeof BackupFile>;

const Counts = z.record(z.string(), z.int());
export type Counts = z.infer<typeof Counts>;

const Heading = z.object({
  format: z.int(),
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

export class BackupFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get path(): string {
    return this.#folder;
  }

  /** @returns null when the backup is not complete */
  async manifest(): Promise<Manifest | null> {
    return parsed(Manifest, await this.#readText(MANIFEST));
  }

  async journal(): Promise<Journal | null> {
    return parsed(Journal, await this.#readText(JOURNAL));
  }

  async saveJournal(journal: Journal): Promise<void> {
    await this.#write(JOURNAL, JSON.stringify(journal));
  }

  /** The last file: with it the backup is complete. */
  async finish(manifest: Manifest): Promise<void> {
    await this.#write(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
    await rm(join(this.#folder, JOURNAL), { force: true });
  }

  /** Writes a file; names that end with `.gz` are compressed. */
  async add(name: string, content: readonly Uint8Array[]): Promise<BackupFile> {
    const joined = Buffer.concat(content);
    const stored = name.endsWith(".gz") ? gzipSync(joined) : joined;
    await this.#write(name, stored);
    return { name, bytes: stored.length, sha256: sha256(stored) };
  }

  /** @throws Error when the file is missing or was changed */
  async read({ name, sha256: expected }: BackupFile): Promise<Uint8Array> {
    const stored = await readFile(join(this.#folder, name));
    if (sha256(stored) !== expected) throw new Error(`${join(this.#folder, name)} is damaged: its checksum differs`);
    return name.endsWith(".gz") ? gunzipSync(stored) : stored;
  }

  async #readText(name: string): Promise<string | null> {
    try {
      return await readFile(join(this.#folder, name), "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
  }

  async #write(name: string, content: string | Uint8Array): Promise<void> {
    const path = join(this.#folder, name);
    await mkdir(dirname(path), { recursive: true });
    const file = await open(`${path}.part`, "w");
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
  }
}

function parsed<S extends z.ZodType>(schema: S, text: string | null): z.output<S> | null {
  return text === null ? null : schema.parse(JSON.parse(text));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
