/**
 * `admin backup`: copies an installation into files, part by part. After each part the journal says where the next
 * one begins, so a command that was cut goes on where it was. Of two commands that write to one place the first one
 * stops, and neither overwrites a file that the other's journal may name. Tables are read in an order in which nothing in the backup
 * refers to what it lacks (store/backup/backed-up-tables.ts); each link's log ends where it ended when it was first read.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";

import { encodeEntry, decodeEntries, type Entry } from "../../core/backup/log-entries.ts";
import {
  BACKUP_FORMAT,
  BackupInfo,
  type JsonRow,
  LOGS_PAGE_LINKS,
  LogPart,
  LogsHead,
  TABLE_PAGE_ROWS_MAX,
  TableRows,
} from "../../core/contract/backup.ts";
import { figure } from "../../core/limits.ts";
import type { BackupFile, BackupFiles, Counts, Journal, Manifest } from "./backup-files.ts";
import type { OperatorApi } from "./operator-api.ts";
import { TAR_END, tarEntry } from "./tar.ts";

export interface BackupRequest {
  api: OperatorApi;
  files: BackupFiles;
  /** Of the installation. */
  url: string;
  release: string;
  /** Takes a line after each part. */
  report: (line: string) => void;
}

/**
 * Bytes at which a part is written. Parts grow with the files there are: a cut loses a small share of the work, and a
 * large backup has few files.
 */
const PART_MIN_BYTES = 256 * 1024;
const PART_MAX_BYTES = 16 * 1024 * 1024;
const IMAGES_AT_ONCE = 8;
/** Of the random text that ends the names of a run's files. */
const RUN_CHARS = 8;

/** What will be written next, and where reading goes on after it. */
interface Part {
  /** Rows, a line of JSON each. */
  lines: Uint8Array[];
  /** Logs or images. */
  blobs: Uint8Array[];
  bytes: number;
  counts: Counts;
}

export async function takeBackup(request: BackupRequest): Promise<Manifest> {
  const { api, files } = request;
  if (await files.manifest()) throw new Error(`${files.place} has a complete backup: choose another place`);
  const info = await api.json(BackupInfo, "/backup");
  if (info.format !== BACKUP_FORMAT) throw new Error("The deployment is of another release: use its own commands");
  const journal = await beginJournal(request, info);
  const backup = new RunningBackup(request, journal);
  for (let table = info.tables[journal.table]; table !== undefined; table = info.tables[journal.table]) {
    await backup.copyTable(table);
  }
  return backup.finish();
}

/** The journal of this run: of a new backup, or of one that was cut. */
async function beginJournal(request: BackupRequest, info: BackupInfo): Promise<Journal> {
  const { files, url, report } = request;
  const known = await files.journal();
  if (known && known.source !== url) throw new Error(`${files.place} has a part of a backup of ${known.source}`);
  const tables = info.tables.map(({ name }) => name);
  // The journal says how far the backup is by a table's place in this list.
  if (known && known.tables.join() !== tables.join())
    throw new Error(`${files.place} has a part of a backup by another release: choose another place`);
  const journal = { ...(known ?? newJournal(request, info)), run: randomUUID().slice(0, RUN_CHARS), tables };
  await files.saveJournal(journal);
  if (known) report(`Going on with the backup that began at ${journal.started_at}`);
  return journal;
}

function newJournal({ release, url }: BackupRequest, { now }: BackupInfo) {
  return {
    format: BACKUP_FORMAT,
    backup_id: randomUUID(),
    release,
    source: url,
    started_at: new Date(now).toISOString(),
    counts: {},
    files: [],
    table: 0,
    parts: 0,
    after: null,
    open: [],
  };
}

class RunningBackup {
  readonly #request: BackupRequest;
  readonly #journal: Journal;
  readonly #createdUntil: number;
  #part: Part = emptyPart();

  constructor(request: BackupRequest, journal: Journal) {
    this.#request = request;
    this.#journal = journal;
    this.#createdUntil = Date.parse(journal.started_at);
  }

  async copyTable({ name, key }: BackupInfo["tables"][number]): Promise<void> {
    if (name === "links") await this.#copyLinks();
    else await this.#copyRows(name, key);
    await this.#writePart(name, { table: this.#journal.table + 1, parts: 0, after: null, open: [] });
  }

  async finish(): Promise<Manifest> {
    const { format, backup_id, release, source, started_at, counts, files } = this.#journal;
    await this.#request.files.requireOwnJournal();
    const finished_at = new Date().toISOString();
    const manifest = { format, backup_id, release, source, started_at, finished_at, counts, files };
    await this.#request.files.finish(manifest);
    return manifest;
  }

  async #copyRows(table: string, key: readonly string[]): Promise<void> {
    for (let after = this.#journal.after; ;) {
      const page = { after, created_until: this.#createdUntil, limit: TABLE_PAGE_ROWS_MAX };
      const { rows } = await this.#request.api.json(TableRows, `/backup/tables/${table}`, page);
      const last = rows.at(-1);
      if (!last) return;
      this.#add(table, rows);
      if (table === "qr_codes") await this.#copyImages(rows);
      after = key.map((name) => String(last[name]));
      if (this.#isFull) await this.#writePart(table, { after });
    }
  }

  async #copyImages(rows: readonly JsonRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += IMAGES_AT_ONCE) {
      const names = rows.slice(from, from + IMAGES_AT_ONCE).map(({ id, format }) => `${id}.${format}`);
      const images = await Promise.all(names.map((name) => this.#request.api.bytes(`/backup/images/${name}`)));
      for (const [i, bytes] of images.entries()) {
        if (bytes) this.#addBlobs("images", 1, tarEntry({ name: names[i] ?? "", bytes }));
        else this.#count("images_missing", 1);
      }
    }
  }

  async #copyLinks(): Promise<void> {
    await this.#copyOpenLogs();
    for (;;) {
      const page = { after: this.#journal.after, created_until: this.#createdUntil, limit: LOGS_PAGE_LINKS };
      const { head, parts } = await this.#logs("/backup/links", page);
      if (!head.last) return;
      this.#addLogs(head, parts);
      this.#journal.after = head.last;
      this.#journal.open = parts.flatMap(({ header: { account_id, mode, id, next, end } }) =>
        next ? [{ link: [account_id, mode, id], from: next, end }] : [],
      );
      if (this.#isFull) await this.#writePart("links");
      await this.#copyOpenLogs();
    }
  }

  /** The rest of the logs that are longer than their share of a page. */
  async #copyOpenLogs(): Promise<void> {
    for (let [log] = this.#journal.open; log; [log] = this.#journal.open) {
      const { link, from, end } = log;
      const { head, parts } = await this.#logs("/backup/log", { link, ...from, end });
      this.#addLogs(head, parts);
      const next = parts[0]?.header.next;
      if (next) log.from = next;
      else this.#journal.open.shift();
      if (this.#isFull) await this.#writePart("links");
    }
  }

  async #logs(path: string, query: Record<string, string | number | readonly string[] | null>) {
    const bytes = await this.#request.api.bytes(path, query);
    if (!bytes) throw new Error("The deployment does not know this request: it is of another release");
    const [head, ...parts] = decodeEntries(bytes, (json) => z.union([LogPart, LogsHead]).parse(json));
    if (!head || "id" in head.header) throw new Error("The deployment's answer begins with no list of links");
    return {
      head: head.header,
      parts: parts.filter((part): part is Entry<LogPart> => "id" in part.header),
    };
  }

  #addLogs({ rows }: LogsHead, parts: readonly Entry<LogPart>[]): void {
    this.#add("links", rows);
    for (const { header, bytes } of parts) {
      const isFirst = header.from.position === 0 && header.from.revision === 0;
      this.#addBlobs("clicks", isFirst ? header.end : 0, encodeEntry(header, bytes));
    }
  }

  #add(table: string, rows: readonly JsonRow[]): void {
    for (const row of rows) {
      const line = new TextEncoder().encode(`${JSON.stringify(row)}\n`);
      this.#part.lines.push(line);
      this.#part.bytes += line.length;
    }
    this.#count(table, rows.length);
  }

  #addBlobs(name: string, count: number, blobs: readonly Uint8Array[]): void {
    for (const blob of blobs) {
      this.#part.blobs.push(blob);
      this.#part.bytes += blob.length;
    }
    this.#count(name, count);
  }

  #count(name: string, more: number): void {
    this.#part.counts[name] = (this.#part.counts[name] ?? 0) + more;
  }

  get #isFull(): boolean {
    const limit = Math.min(PART_MIN_BYTES * Math.max(this.#journal.files.length, 1), PART_MAX_BYTES);
    return this.#part.bytes >= limit;
  }

  /** Writes what was read, then the journal: a command that goes on after a cut in between writes files of its own. */
  async #writePart(table: string, place: Partial<Journal> = {}): Promise<void> {
    const { lines, blobs, counts } = this.#part;
    const journal = this.#journal;
    await this.#request.files.requireOwnJournal();
    const name = `${table}-${String(journal.parts + 1).padStart(5, "0")}-${journal.run}`;
    const files: BackupFile[] = [];
    const write = async (path: string, content: readonly Uint8Array[]) => {
      files.push(await this.#request.files.add(path, content));
    };
    if (blobs.length > 0) {
      if (table === "links") await write(`clicks/${name}.bin.gz`, blobs);
      else await write(`images/${name}.tar`, [...blobs, TAR_END]);
    }
    if (lines.length > 0) await write(`tables/${name}.ndjson.gz`, lines);
    for (const [counted, more] of Object.entries(counts))
      journal.counts[counted] = (journal.counts[counted] ?? 0) + more;
    journal.files.push(...files);
    journal.parts++;
    Object.assign(journal, place);
    await this.#request.files.saveJournal(journal);
    this.#part = emptyPart();
    if (files.length > 0) this.#request.report(progressLine(table, journal));
  }
}

function emptyPart(): Part {
  return { lines: [], blobs: [], bytes: 0, counts: {} };
}

function progressLine(table: string, { counts, files }: Journal): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const clicks = table === "links" ? `, ${figure(counts.clicks ?? 0)} clicks` : "";
  return `${table}: ${figure(counts[table] ?? 0)} rows${clicks}; ${(bytes / 1e6).toFixed(1)} MB in all`;
}
