/** Exports whose rows cannot be written, that take several responses, or that break off. */
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";

import { exportClicks, type ExportRequest } from "../../../src/client/cli/export-clicks.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { HoplinkConnectionError } from "../../../src/client/index.ts";
import { hoplinkOf } from "../../../src/client/cli/session.ts";
import { json, type Reply, ScriptedServer } from "../../support/scripted-server.ts";

const REQUEST: ExportRequest = { format: "csv", linkId: "lnk_1", query: {}, limit: undefined, after: null };
const HEADER = "seq,occurred_at\n";
const row = (seq: number) => `${seq},2026-11-21T09:10:00.000Z\n`;

let server: ScriptedServer;
let written = "";

beforeEach(async () => {
  server = await ScriptedServer.start();
  written = "";
});

afterEach(() => server.stop());

function session() {
  const connection = { url: server.base, key: "svc_test_key", profile: null };
  const io = new Io(process, new AbortController().signal);
  return { io, connection, hoplink: hoplinkOf(connection, io) };
}

async function write(rows: Uint8Array): Promise<void> {
  written += new TextDecoder().decode(rows);
}

function csv(text: string, isCut = false): Reply {
  return (response) => {
    response.writeHead(200, { "Content-Type": "text/csv" });
    response.write(text, () => (isCut ? response.socket?.destroy() : response.end()));
  };
}

const sent = (name: string) => server.requests.map(({ path }) => new URL(path, server.base).searchParams.get(name));

test("for more clicks than one response holds, it requests one response after another", async () => {
  const errors = [{ path: "limit", code: "too_big", message: "limit must be at most 50,000" }];
  const refused = json(422, { error: { code: "validation_failed", message: "too many", request_id: "req_1", errors } });
  const first = Array.from({ length: 50_000 }, (_, i) => row(i + 1)).join("");
  server.willReply(refused, refused, csv(HEADER + first), csv(HEADER + row(50_001)));
  expect(await exportClicks(session(), REQUEST, write)).toBe(50_001);
  expect(sent("limit")).toEqual([null, "10000000", "50000", "50000"]);
  expect(sent("after")).toEqual([null, null, null, "50000"]);
  expect(written).toBe(HEADER + first + row(50_001));
});

test("one that breaks off before its first row has the column names once", async () => {
  server.willReply(csv(HEADER, true), csv(HEADER + row(1)));
  expect(await exportClicks(session(), REQUEST, write)).toBe(1);
  expect(written).toBe(HEADER + row(1));
});

test("it continues after the service was unreachable for a while", async () => {
  const { io, connection, hoplink } = session();
  const { exportClicks: opened } = hoplink.links;
  let calls = 0;
  hoplink.links.exportClicks = (...given) => {
    if (++calls === 2) throw new HoplinkConnectionError("no route");
    return opened.apply(hoplink.links, given);
  };
  server.willReply(csv(HEADER + row(1), true), csv(HEADER + row(2)));
  expect(await exportClicks({ io, connection, hoplink }, REQUEST, write)).toBe(2);
  expect([written, sent("after")]).toEqual([HEADER + row(1) + row(2), [null, "1"]]);
});

test("the connection is closed, so that the command can end", async () => {
  let closed: Promise<unknown> = Promise.resolve();
  server.willReply((response) => {
    closed = once(response, "close");
    response.writeHead(200, { "Content-Type": "text/csv" }).write("seq,occurred_at\n1,2026-11-21T09:10:00.000Z\n");
  });
  const exported = exportClicks(session(), REQUEST, () => Promise.reject(new Error("no space left")));
  await expect(exported).rejects.toThrow("no space left");
  await closed;
});
