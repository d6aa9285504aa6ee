/** The parts of a backup in a folder, and the places that the command line names. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { type PartState, readLastPart, readPart, writePart } from "../../src/cli/backup/parts.ts";
import { folderStore, parsePlace, type PartStore } from "../../src/cli/backup/places.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";

const STATE: PartState = {
  format: BACKUP_FORMAT,
  backup_id: "1",
  release: "0.1.0",
  source: "https://go.example.com",
  started_at: "2026-11-22T00:00:00.000Z",
  number: 1,
  previous: null,
  next: null,
  counts: { links: 1 },
  bytes: 0,
  ended_at: "2026-11-22T00:00:01.000Z",
};
const PAGE = JSON.stringify({ table: "links", rows: [{ id: "名" }], logs: [], images: {} });

const folders: string[] = [];
let folder: string;
let store: PartStore;

beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), "hoplink-parts-"));
  chmodSync(parent, 0o755);
  folders.push(parent);
  folder = join(parent, "nightly", "1");
  store = folderStore(folder);
});

afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

function overwrite(name: string, content: Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

describe("the parts of a backup", () => {
  it("are read back as written, and the last one is found", async () => {
    expect(await readLastPart(store)).toBeNull();
    const first = await writePart(store, STATE, [PAGE, PAGE]);
    expect(await readLastPart(store)).toEqual(first);
    expect(first).toMatchObject({ ...STATE, pages: [PAGE, PAGE] });
    const previous = { name: first.name, sha256: first.sha256 };
    const second = await writePart(store, { ...STATE, number: 2, previous }, []);
    overwrite("notes.txt", new Uint8Array());
    expect(await readLastPart(store)).toEqual(second);
    expect(await readPart(store, previous.name, previous.sha256)).toEqual(first);
  });

  it("have a name that no other command uses", async () => {
    const [one, other] = [await writePart(store, STATE, [PAGE]), await writePart(store, STATE, [PAGE])];
    expect(one.name).toMatch(/^000001-[\da-f]{8}\.jsonl\.gz$/);
    expect(one.name).not.toBe(other.name);
  });

  it("cannot be read by other users of the machine", async () => {
    const { name } = await writePart(store, STATE, [PAGE]);
    const modes = [join(folder, name), folder, join(folder, "..")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  it("are refused when one was changed or is missing", async () => {
    const { name, sha256 } = await writePart(store, STATE, [PAGE]);
    await writePart(store, { ...STATE, backup_id: "2" }, []).then((other) =>
      overwrite(name, readFileSync(join(folder, other.name))),
    );
    await expect(readPart(store, name, sha256)).rejects.toThrow(`${folder}/${name} is damaged: its checksum differs`);
    rmSync(join(folder, name));
    await expect(readPart(store, name, sha256)).rejects.toThrow(`${folder}/${name} is missing`);
  });

  it("from a later release are refused, whatever else they contain", async () => {
    const later = `${folder} has format 2, from a later release. This release reads formats up to 1. Upgrade first.`;
    const { name } = await writePart(store, STATE, []);
    overwrite(name, gzipSync(`${JSON.stringify({ format: BACKUP_FORMAT + 1, volumes: [] })}\n{}\n`));
    await expect(readLastPart(store)).rejects.toThrow(later);
  });

  it.each([
    ["not gzip", new TextEncoder().encode("{}")],
    ["empty", gzipSync("")],
    ["not JSON", gzipSync("{\n}")],
    ["without a format", gzipSync('{"number":1}\n{}')],
    ["of format 0", gzipSync(`${JSON.stringify({ ...STATE, format: 0 })}\n${JSON.stringify(STATE)}`)],
    [
      "the successor of a part in another folder",
      gzipSync(
        `${JSON.stringify({ ...STATE, previous: { name: "../x.jsonl.gz", sha256: "" } })}\n${JSON.stringify(STATE)}`,
      ),
    ],
  ])("are damaged when one is %s", async (_, content) => {
    const { name } = await writePart(store, STATE, []);
    overwrite(name, content);
    await expect(readLastPart(store)).rejects.toThrow(`${folder}/${name} is damaged: it isn't part of a backup`);
  });

  it("are damaged when the last one, whose checksum no other part has, was changed", async () => {
    const { name } = await writePart(store, STATE, [PAGE]);
    const content = readFileSync(join(folder, name));
    const middle = Math.floor(content.length / 2);
    content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
    overwrite(name, content);
    await expect(readLastPart(store)).rejects.toThrow(`${folder}/${name} is damaged`);
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
