/** What `admin restore` looks at before it asks anything of the installation. */
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import { BackupFiles } from "../../src/cli/backup/backup-files.ts";
import { folderStore } from "../../src/cli/backup/file-store.ts";
import { OperatorApi } from "../../src/cli/backup/operator-api.ts";
import { restoreBackup } from "../../src/cli/backup/restore-backup.ts";
import { NO_EDGE } from "../../src/cli/deployment/host-request.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";
import { listenOnFreePort } from "../support/ports.ts";

const LAST = "tables/accounts-00001.ndjson.gz";

let folder: string;
let files: BackupFiles;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-restore-"));
  files = new BackupFiles(folderStore(folder));
  const row = new TextEncoder().encode('{"id":"a"}\n');
  await files.finish({
    format: BACKUP_FORMAT,
    backup_id: "1",
    release: "0.1.0",
    source: "https://go.example.com",
    started_at: "2026-11-22T00:00:00.000Z",
    finished_at: "2026-11-22T00:00:01.000Z",
    counts: {},
    files: [await files.add("tables/domains-00001.ndjson.gz", [row]), await files.add(LAST, [row])],
  });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["damaged", () => writeFileSync(join(folder, LAST), readFileSync(join(folder, LAST)).subarray(1))],
  ["missing", () => rmSync(join(folder, LAST))],
])("a backup with a %s file is refused before it is begun, so that another one can be restored", async (why, harm) => {
  harm();
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify({ outcome: "done", steps: 0 }));
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  const api = new OperatorApi({ url, issueToken: async () => "token", edgeAddress: NO_EDGE });
  try {
    await expect(restoreBackup({ api, files, report: () => {} })).rejects.toThrow(`${folder}/${LAST} is ${why}`);
    expect(asked).toEqual([]);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});
