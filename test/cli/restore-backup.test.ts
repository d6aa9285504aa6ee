/** Checks of `admin restore` before its first request to the installation, and its requests. */
import { createServer, type Server } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";

import { OperatorApi } from "../../src/cli/backup/operator-api.ts";
import { type Part, type PartState, writePart } from "../../src/cli/backup/parts.ts";
import { folderStore } from "../../src/cli/backup/places.ts";
import { restoreBackup } from "../../src/cli/backup/restore-backup.ts";
import { NO_EDGE } from "../../src/cli/deployment/host-request.ts";
import { BACKUP_FORMAT, type BackupPage, type LogPart } from "../../src/core/contract/backup.ts";
import { listenOnFreePort } from "../support/ports.ts";

const STATE: PartState = {
  format: BACKUP_FORMAT,
  backup_id: "1",
  release: "0.1.0",
  source: "https://go.example.com",
  started_at: "2026-11-22T00:00:00.000Z",
  number: 1,
  previous: null,
  next: null,
  counts: {},
  bytes: 0,
  ended_at: "2026-11-22T00:00:01.000Z",
};
const CURSOR = { tables: "links", table: 0, after: null, open: [], created_until: 0 };

let folder: string;
let first: Part;
let last: Part;
let server: Server;
/** Requests to the installation. */
let asked: [path: string, body: unknown][];
/** Number of pages that it has already. */
let restored: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-restore-"));
  [asked, restored] = [[], 0];
  server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    asked.push([(request.url ?? "").replace(/^.*\/operator/, ""), body]);
    response.end(JSON.stringify({ outcome: "done", pages: restored }));
  });
  const store = folderStore(folder);
  const links = pageOf("links", [link("kept", null), link("erased", 1)], ["kept", "erased", "closing"]);
  first = await writePart(store, { ...STATE, next: CURSOR }, [JSON.stringify(links)]);
  const previous = { name: first.name, sha256: first.sha256 };
  const rest = [
    pageOf("links", [link("closing", null, "acc_closed")]),
    pageOf("accounts", [{ id: "acc_kept" }]),
    pageOf("account_states", [{ account_id: "acc_closed", state: "closed" }]),
  ];
  last = await writePart(
    store,
    { ...STATE, number: 2, previous },
    rest.map((page) => JSON.stringify(page)),
  );
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

function pageOf(table: string, rows: BackupPage["rows"], logs: string[] = []): BackupPage {
  return { table, rows, logs: logs.map(logOf), images: {} };
}

function link(id: string, erase_at: number | null, account_id = "acc_kept") {
  return { id, account_id, erase_at };
}

function logOf(id: string): LogPart {
  return {
    account_id: id === "closing" ? "acc_closed" : "acc_kept",
    mode: "live",
    id,
    domain: "go.example.com",
    slug: id,
    object_name: null,
    from: { position: 0, revision: 0 },
    next: null,
    end: 0,
    floor: 0,
    batches: [],
    revisions: [],
  };
}

async function restore() {
  const url = `http://127.0.0.1:${server.listening ? portOf(server) : await listenOnFreePort(server)}`;
  const api = new OperatorApi({ url, issueToken: async () => "token", edgeAddress: NO_EDGE });
  return restoreBackup({ api, store: folderStore(folder), report: () => {} });
}

function portOf(listening: Server): number {
  const address = listening.address();
  return typeof address === "object" && address ? address.port : 0;
}

it.each([
  ["is damaged", () => writeFileSync(join(folder, first.name), readFileSync(join(folder, first.name)).subarray(1))],
  ["is missing", () => rmSync(join(folder, first.name))],
])(
  "a backup of which a part %s is refused before the restore begins, so that another one can be restored",
  async (why, harm) => {
    harm();
    await expect(restore()).rejects.toThrow(`${folder}/${first.name} ${why}`);
    expect(asked).toEqual([]);
  },
);

it("states of accounts go before links, and clicks erased during the backup stay erased", async () => {
  await restore();
  const pages = asked.filter(([path]) => path.includes("/pages/"));
  expect(pages.map(([path, body]) => [path, (body as BackupPage).table])).toEqual([
    [`/restore/${last.sha256}/pages/1`, "account_states"],
    [`/restore/${last.sha256}/pages/2`, "links"],
    [`/restore/${last.sha256}/pages/3`, "links"],
    [`/restore/${last.sha256}/pages/4`, "accounts"],
  ]);
  expect(pages[1]?.[1]).toMatchObject({ logs: [{ id: "kept" }] });
  expect(asked[0]).toEqual(["/restore", { format: BACKUP_FORMAT, backup_id: last.sha256 }]);
  expect(asked.at(-1)).toEqual([`/restore/${last.sha256}/finish`, { after: "" }]);
});

it("pages that are restored already are not sent again", async () => {
  restored = 3;
  await restore();
  const chain = `/restore/${last.sha256}`;
  expect(asked.map(([path]) => path)).toEqual(["/restore", `${chain}/pages/4`, `${chain}/finish`]);
});

it("a chain of parts that another command completed is another backup, since its pages may differ", async () => {
  await restore();
  const previous = { name: first.name, sha256: first.sha256 };
  const other = await writePart(folderStore(folder), { ...STATE, number: 3, previous }, []);
  await restore();
  const begun = asked.filter(([path]) => path === "/restore").map(([, body]) => body);
  expect(begun).toEqual([last, other].map(({ sha256 }) => ({ format: BACKUP_FORMAT, backup_id: sha256 })));
});

it("an incomplete backup is refused", async () => {
  await writePart(folderStore(folder), { ...STATE, number: 3, next: CURSOR }, []);
  await expect(restore()).rejects.toThrow(`${folder} has no complete backup`);
  expect(asked).toEqual([]);
});
