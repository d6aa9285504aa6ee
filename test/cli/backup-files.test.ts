/** The files of a backup in a folder, and the places that the command line names. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { BackupFiles, type Manifest } from "../../src/cli/backup/backup-files.ts";
import { parsePlace } from "../../src/cli/backup/backup-place.ts";
import { folderStore } from "../../src/cli/backup/file-store.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";

const NAME = "tables/links-00001.ndjson.gz";
const HEADING = {
  format: BACKUP_FORMAT,
  backup_id: "1",
  release: "0.1.0",
  source: "https://go.example.com",
  started_at: "2026-11-22T00:00:00.000Z",
  counts: { links: 1 },
};

const folders: string[] = [];
let folder: string;
let files: BackupFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-files-"));
  folders.push(folder);
  files = new BackupFiles(folderStore(folder));
});

afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

async function writeBackup(): Promise<Manifest> {
  await files.saveJournal({ ...HEADING, files: [], run: "a", tables: [], table: 0, parts: 0, after: null, open: [] });
  const file = await files.add(NAME, [new TextEncoder().encode('{"id":"a"}\n')]);
  const manifest = { ...HEADING, finished_at: HEADING.started_at, files: [file] };
  await files.finish(manifest);
  return manifest;
}

function overwrite(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

describe("the files of a backup", () => {
  it("are read as they were written", async () => {
    expect([await files.manifest(), await files.journal()]).toEqual([null, null]);
    const manifest = await writeBackup();
    expect([await files.manifest(), await files.journal()]).toEqual([manifest, null]);
    const [file] = manifest.files;
    expect(file && new TextDecoder().decode(await files.read(file))).toBe('{"id":"a"}\n');
  });

  it("are refused when one was changed or is missing", async () => {
    const [file] = (await writeBackup()).files;
    if (!file) throw new Error("no file");
    overwrite(NAME, `${readFileSync(join(folder, NAME), "latin1")}x`);
    await expect(files.read(file)).rejects.toThrow(`${folder}/${NAME} is damaged: its checksum differs`);
    rmSync(join(folder, NAME));
    await expect(files.read(file)).rejects.toThrow(`${folder}/${NAME} is missing`);
  });

  it("of a later release are refused, whatever else they hold", async () => {
    const later = `${folder} has format 2, of a later release: this one reads formats up to 1. Upgrade first`;
    overwrite("manifest.json", JSON.stringify({ format: BACKUP_FORMAT + 1, volumes: [] }));
    overwrite("journal.json", JSON.stringify({ format: BACKUP_FORMAT + 1 }));
    await expect(files.manifest()).rejects.toThrow(later);
    await expect(files.journal()).rejects.toThrow(later);
  });

  it.each([
    ["no JSON", "{"],
    ["of no format", '{"files":[]}'],
    ["of format 0", JSON.stringify({ ...HEADING, format: 0, finished_at: "", files: [] })],
    [
      "with a name that leads elsewhere",
      JSON.stringify({ ...HEADING, finished_at: "", files: [{ name: "tables/../../x.gz", bytes: 1, sha256: "" }] }),
    ],
  ])("are damaged when the manifest is %s", async (_, text) => {
    overwrite("manifest.json", text);
    await expect(files.manifest()).rejects.toThrow(`${folder}/manifest.json is damaged: it is no manifest.json`);
  });
});

describe("the place of a backup", () => {
  it.each([
    ["backups/1", { kind: "folder", path: "backups/1" }],
    ["./r2:x", { kind: "folder", path: "./r2:x" }],
    ["r2:backups/1", { kind: "bucket", bucket: "backups", prefix: "1" }],
    ["r2:my-backups/nightly/2026-11-22/", { kind: "bucket", bucket: "my-backups", prefix: "nightly/2026-11-22" }],
  ])("%s", (text, place) => {
    expect(parsePlace(text)).toEqual(place);
  });

  it.each([
    "",
    "R2:backups/1",
    "r2:",
    "r2:backups",
    "r2:backups/",
    "r2:Backups/1",
    "r2:b/1",
    "r2:backups/../1",
    "r2:backups//1",
    "r2:backups/a b",
  ])("is not %s", (text) => {
    expect(parsePlace(text)).toBeNull();
  });
});
