/** What `admin backup` does with files that are there already, of a cut run or of another command that runs meanwhile. */
import { createServer, type Server } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import { BackupFiles } from "../../src/cli/backup/backup-files.ts";
import { folderStore } from "../../src/cli/backup/file-store.ts";
import { OperatorApi } from "../../src/cli/backup/operator-api.ts";
import { takeBackup } from "../../src/cli/backup/take-backup.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";
import { NO_EDGE } from "../../src/cli/deployment/host-request.ts";
import { listenOnFreePort } from "../support/ports.ts";

const PATH = "/dashboard/api/operator/backup";

let folder: string;
let server: Server;
let url: string;
let tables: string[];
/** What happens before a table is answered. */
let beforeTable: (name: string) => Promise<unknown>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-backup-"));
  tables = ["domains", "api_keys", "accounts"];
  beforeTable = async () => {};
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const name = pathname.slice(`${PATH}/tables/`.length);
    const answer = async () => {
      if (pathname === PATH) {
        return {
          format: BACKUP_FORMAT,
          now: Date.now(),
          tables: tables.map((table) => ({ name: table, key: ["id"] })),
        };
      }
      await beforeTable(name);
      return { rows: searchParams.has("after") ? [] : [{ id: `${name}-1`, at: Date.now() }] };
    };
    answer().then(
      (body) => response.end(JSON.stringify(body)),
      () => response.writeHead(404).end("{}"),
    );
  });
  url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

function backUp() {
  const api = new OperatorApi({ url, issueToken: async () => "token", edgeAddress: NO_EDGE });
  const files = new BackupFiles(folderStore(folder));
  return takeBackup({ api, files, url, release: "0.1.0", report: () => {} });
}

async function expectWhole(): Promise<void> {
  const files = new BackupFiles(folderStore(folder));
  const manifest = await files.manifest();
  expect(manifest?.files.map(({ name }) => /^tables\/(\w+)-00001-\w{8}\.ndjson\.gz$/.exec(name)?.[1])).toEqual(tables);
  for (const file of manifest?.files ?? []) await files.read(file);
}

/** Both commands have begun before a table is answered: one that begins after the other's end makes a backup anew. */
function bothAskFor(table: string): typeof beforeTable {
  let asked = 0;
  const both = Promise.withResolvers<void>();
  return async (name) => {
    if (name !== table) return;
    if (++asked === 2) both.resolve();
    await both.promise;
  };
}

it("two commands at once: one ends with a whole backup, the other says why it did not go on", async () => {
  beforeTable = bothAskFor("domains");
  const outcomes = await Promise.allSettled([backUp(), backUp()]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  expect(String(refused?.reason)).toContain(`Another command writes a backup to ${folder}`);
  await expectWhole();
});

it("of two that go on with the same cut backup, too", async () => {
  beforeTable = async (name) => {
    if (name === "accounts") throw new Error("cut");
  };
  await expect(backUp()).rejects.toThrow("404");
  beforeTable = bothAskFor("accounts");
  const outcomes = await Promise.allSettled([backUp(), backUp()]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  await expectWhole();
});

it("a cut backup is not gone on with when the deployment has other tables since", async () => {
  beforeTable = async (name) => {
    if (name === "api_keys") throw new Error("cut");
  };
  await expect(backUp()).rejects.toThrow("404");
  beforeTable = async () => {};
  tables = ["link_revisions", ...tables];
  const journal = readFileSync(join(folder, "journal.json"), "utf8");
  await expect(backUp()).rejects.toThrow(`${folder} has a part of a backup by another release: choose another place`);
  expect(readFileSync(join(folder, "journal.json"), "utf8")).toBe(journal);
});
