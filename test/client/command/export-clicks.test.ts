/** An export whose rows cannot be written. */
import { once } from "node:events";
import { expect, test } from "vitest";

import { exportClicks } from "../../../src/client/cli/export/export-clicks.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { hoplinkOf } from "../../../src/client/cli/session.ts";
import { ScriptedServer } from "../../support/scripted-server.ts";

test("the connection is closed, so that the command can end", async () => {
  const server = await ScriptedServer.start();
  const connection = { url: server.base, key: "svc_test_key", profile: null };
  let closed: Promise<unknown> = Promise.resolve();
  server.willReply((response) => {
    closed = once(response, "close");
    response.writeHead(200, { "Content-Type": "text/csv" }).write("seq,occurred_at\n1,2026-11-21T09:10:00.000Z\n");
  });
  const io = new Io(process, new AbortController().signal);
  const session = { io, connection, hoplink: hoplinkOf(connection, io) };
  const request = { format: "csv", linkId: "lnk_1", query: {}, limit: undefined, after: null } as const;
  const exported = exportClicks(session, request, () => Promise.reject(new Error("no space left")));
  await expect(exported).rejects.toThrow("no space left");
  await closed;
  server.stop();
});
