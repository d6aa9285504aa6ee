/**
 * `admin restore`: puts a backup into an empty installation. The logs of links go first, then the images, then the rows,
 * of which links come after their logs and accounts near the end: nobody sees a link with half of its clicks, and nobody
 * can sign in before all is there. Every request may be repeated; the installation remembers how far the restore has
 * come, so a command that was cut goes on.
 */
import { Buffer } from "node:buffer";

import { decodeEntries, encodeEntry, type Entry } from "../../core/backup/log-entries.ts";
import { CountedAccounts, JsonRow, LogPart } from "../../core/contract/backup.ts";
import type { BackupFile, BackupFiles, Manifest } from "./backup-files.ts";
import type { OperatorApi } from "./operator-api.ts";
import { tarFiles } from "./tar.ts";

export interface RestoreRequest {
  api: OperatorApi;
  files: BackupFiles;
  /** Takes a line after each part. */
  report: (line: string) => void;
}

/** Limits of one request, below those of the Worker. */
const REQUEST_LINKS = 32;
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_ROWS = 200;
/** Each is a call to an object. */
const REQUEST_FEEDS = 32;
const REQUEST_ROWS_CHARS = 256 * 1024;
const IMAGES_AT_ONCE = 8;

export async function restoreBackup(request: RestoreRequest): Promise<Manifest> {
  const { api, files, report } = request;
  const manifest = await files.manifest();
  if (!manifest) throw new Error(`${files.place} has no complete backup: run the backup again, which goes on`);
  const steps = stepsOf(manifest);
  // Before anything is restored: an installation that has begun with one backup takes no other one.
  for (const file of steps) await files.read(file);
  const begin = JSON.stringify({ format: manifest.format, backup_id: manifest.backup_id });
  const done = await api.restore("POST", "/restore", begin);
  if (done > 0) report(`Going on after ${done} of ${steps.length} files`);
  const restore = new RunningRestore(request, manifest, await erasedLinks(files, manifest));
  for (const [i, file] of [...steps.entries()].slice(done)) {
    await restore.file(file);
    await restore.saveSteps(i + 1);
    report(`${file.name} (${i + 1} of ${steps.length})`);
  }
  await restore.finish();
  return manifest;
}

/** The files in the order in which they are restored. */
function stepsOf({ files }: Manifest): BackupFile[] {
  const of = (prefix: string) => files.filter(({ name }) => name.startsWith(prefix));
  // Before any link: those of suspended accounts and of a domain's former holders must not redirect.
  const first = [...of("tables/account_states-"), ...of("tables/domain_holders-")];
  const others = of("tables/").filter((file) => !first.includes(file));
  return [...of("clicks/"), ...of("images/"), ...first, ...others];
}

/** Ids of the links whose clicks were erased while the backup was taken. */
async function erasedLinks(files: BackupFiles, manifest: Manifest): Promise<ReadonlySet<string>> {
  const erased = new Set<string>();
  const closed = new Set<unknown>();
  const rowsOf = (table: string) => manifest.files.filter(({ name }) => name.startsWith(`tables/${table}-`));
  for (const file of rowsOf("account_states")) {
    for (const { account_id, state } of rowsIn(await files.read(file))) if (state === "closed") closed.add(account_id);
  }
  for (const file of rowsOf("links")) {
    for (const { account_id, id, erase_at } of rowsIn(await files.read(file))) {
      if (erase_at !== null || closed.has(account_id)) erased.add(String(id));
    }
  }
  return erased;
}

class RunningRestore {
  readonly #api: OperatorApi;
  readonly #files: BackupFiles;
  readonly #manifest: Manifest;
  readonly #erased: ReadonlySet<string>;
  readonly #path: string;

  constructor({ api, files }: RestoreRequest, manifest: Manifest, erased: ReadonlySet<string>) {
    this.#api = api;
    this.#files = files;
    this.#manifest = manifest;
    this.#erased = erased;
    this.#path = `/restore/${manifest.backup_id}`;
  }

  async file(file: BackupFile): Promise<void> {
    const [, folder, table = ""] = /^(\w+)\/(\w+)-/.exec(file.name) ?? [];
    const bytes = await this.#files.read(file);
    if (folder === "clicks") await this.#restoreLogs(file, bytes);
    else if (folder === "images") await this.#restoreImages(bytes);
    else await this.#restoreRows(table, bytes);
  }

  async saveSteps(steps: number): Promise<void> {
    await this.#api.restore("POST", `${this.#path}/steps`, JSON.stringify({ steps }));
  }

  async finish(): Promise<void> {
    for (let after: string | null = ""; after !== null;) {
      ({ last: after } = await this.#api.post(CountedAccounts, `${this.#path}/counts`, JSON.stringify({ after })));
    }
    await this.#api.restore("POST", `${this.#path}/finish`, "{}");
  }

  async #restoreLogs(file: BackupFile, bytes: Uint8Array): Promise<void> {
    const rows = await this.#rowsBeside(file);
    const parts = decodeEntries(bytes, (json) => LogPart.parse(json)).filter(
      ({ header }) => !this.#erased.has(header.id),
    );
    for (const some of requestsOf(parts)) {
      const content = some.flatMap(({ header, bytes: log }) =>
        encodeEntry({ ...header, row: header.next ? null : (rows.get(header.id) ?? null) }, log),
      );
      await this.#api.restore("POST", `${this.#path}/logs`, Buffer.concat(content));
    }
  }

  /** The rows of the links whose logs end in this file, by id. */
  async #rowsBeside({ name }: BackupFile): Promise<Map<string, JsonRow>> {
    const beside = name.replace("clicks/", "tables/").replace(".bin.gz", ".ndjson.gz");
    const file = this.#manifest.files.find((known) => known.name === beside);
    const rows = file ? rowsIn(await this.#files.read(file)) : [];
    return new Map([...rows].map((row) => [String(row.id), row]));
  }

  async #restoreImages(tar: Uint8Array): Promise<void> {
    const images = [...tarFiles(tar)];
    for (let from = 0; from < images.length; from += IMAGES_AT_ONCE) {
      const puts = images
        .slice(from, from + IMAGES_AT_ONCE)
        .map(({ name, bytes }) => this.#api.restore("PUT", `${this.#path}/images/${name}`, bytes));
      await Promise.all(puts);
    }
  }

  async #restoreRows(table: string, bytes: Uint8Array): Promise<void> {
    const maxRows = table === "feeds" ? REQUEST_FEEDS : REQUEST_ROWS;
    let [some, chars]: [JsonRow[], number] = [[], 0];
    const send = async () => {
      if (some.length === 0) return;
      await this.#api.restore("POST", `${this.#path}/tables/${table}`, JSON.stringify({ rows: some }));
      [some, chars] = [[], 0];
    };
    for (const row of rowsIn(bytes)) {
      some.push(row);
      chars += JSON.stringify(row).length;
      if (some.length >= maxRows || chars >= REQUEST_ROWS_CHARS) await send();
    }
    await send();
  }
}

function* rowsIn(ndjson: Uint8Array): Generator<JsonRow> {
  for (const line of Buffer.from(ndjson).toString("utf8").split("\n")) {
    if (line !== "") yield JsonRow.parse(JSON.parse(line));
  }
}

/** Parts of one log go in several requests: those of one request are restored at once. */
function* requestsOf(parts: readonly Entry<LogPart>[]): Generator<Entry<LogPart>[]> {
  let some: Entry<LogPart>[] = [];
  let bytes = 0;
  for (const part of parts) {
    const hasLink = some.some(({ header }) => header.id === part.header.id);
    if (hasLink || some.length === REQUEST_LINKS || (some.length > 0 && bytes + part.bytes.length > REQUEST_BYTES)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(part);
    bytes += part.bytes.length;
  }
  if (some.length > 0) yield some;
}
