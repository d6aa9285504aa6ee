/** How `admin backup` treats existing parts, of an interrupted run or of a concurrent command. */
import { createServer, type Server } from "node:http";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";

import { OperatorApi } from "../../src/cli/backup/operator-api.ts";
import { type Part, readLastPart, readPart } from "../../src/cli/backup/parts.ts";
import { folderStore } from "../../src/cli/backup/places.ts";
import { takeBackup } from "../../src/cli/backup/take-backup.ts";
import { NO_EDGE } from "../../src/cli/deployment/host-request.ts";
import type { BackupCursor, BackupReply } from "../../src/core/contract/backup.ts";
import { listenOnFreePort } from "../support/ports.ts";

const PAGES = 4;
/** Larger than the first parts. */
const LONG = "x".repeat(1024 * 1024);

let folder: string;
let server: Server;
let url: string;
/** Cursors that were requested. */
let asked: (BackupCursor | null)[];
/** Called before a page is answered. */
let beforePage: (number: number) => Promise<unknown>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-backup-"));
  asked = [];
  beforePage = async () => {};
  server = createServer(async (request, response) => {
    const { cursor } = JSON.parse(await text(request)) as { cursor: BackupCursor | null };
    asked.push(cursor);
    const number = cursor?.table ?? 0;
    beforePage(number).then(
      () => response.end(JSON.stringify(replyAt(number))),
      () => response.writeHead(404).end('{"error":{"message":"cut"}}'),
    );
  });
  url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

function cursorAt(table: number): BackupCursor {
  return { tables: "accounts", table, after: null, open: [], created_until: 1 };
}

function replyAt(number: number): BackupReply {
  const page = { table: "accounts", rows: [{ id: `acc_${number}`, long: LONG }], logs: [], images: {} };
  return number === PAGES
    ? { page: null, next: null, created_until: 1 }
    : { page, next: cursorAt(number + 1), created_until: 1 };
}

function backUp() {
  const api = new OperatorApi({ url, issueToken: async () => "token", edgeAddress: NO_EDGE });
  return takeBackup({ api, store: folderStore(folder), url, report: () => {} });
}

/** Expects every page once, in order. */
async function expectWhole(last: Part | null): Promise<void> {
  const ids: string[] = [];
  for (let part = last; part;) {
    ids.unshift(...part.pages.map((page) => /acc_\d/.exec(page)?.[0] ?? ""));
    part = part.previous && (await readPart(folderStore(folder), part.previous.name, part.previous.sha256));
  }
  expect(ids).toEqual(Array.from({ length: PAGES }, (_, i) => `acc_${i}`));
  expect(last).toMatchObject({ next: null, counts: { accounts: PAGES } });
}

function cutAt(page: number): void {
  beforePage = async (number) => {
    if (number === page) throw new Error("cut");
  };
}

it("an interrupted backup continues after its last part, and is then complete", async () => {
  cutAt(2);
  await expect(backUp()).rejects.toThrow("404 cut");
  const cut = await readLastPart(folderStore(folder));
  expect(cut?.next).toEqual(cursorAt(cut?.number ?? 0));
  [asked, beforePage] = [[], async () => {}];
  const last = await backUp();
  expect(asked[0]).toEqual(cut?.next);
  expect(last).toMatchObject({ backup_id: cut?.backup_id, started_at: cut?.started_at });
  await expectWhole(last);
  await expect(backUp()).rejects.toThrow(`${folder} already has a complete backup. Choose another place.`);
});

it("an interrupted backup of another installation is not continued", async () => {
  cutAt(2);
  await expect(backUp()).rejects.toThrow("404 cut");
  const names = readdirSync(folder);
  const api = new OperatorApi({ url, issueToken: async () => "token", edgeAddress: NO_EDGE });
  const other = { api, store: folderStore(folder), url: "https://other.example", report: () => {} };
  await expect(takeBackup(other)).rejects.toThrow(`${folder} has parts of a backup of ${url}`);
  expect(readdirSync(folder)).toEqual(names);
});

it.each([
  ["begin", async () => {}],
  [
    "continue the same cut backup",
    async () => {
      cutAt(3);
      await expect(backUp()).rejects.toThrow("404 cut");
      beforePage = async () => {};
    },
  ],
])("two commands that %s simultaneously do not disturb each other: each backup is complete", async (_, prepare) => {
  await prepare();
  const asks = { last: 0 };
  const both = Promise.withResolvers<void>();
  beforePage = async (number) => {
    if (number !== PAGES) return;
    if (++asks.last === 2) both.resolve();
    await both.promise;
  };
  for (const last of await Promise.all([backUp(), backUp()])) await expectWhole(last);
  await expectWhole(await readLastPart(folderStore(folder)));
});
