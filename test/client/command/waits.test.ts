/** Messages of a command that waits for a rate limit. */
import { expect, test } from "vitest";

import { createLinks } from "../../../src/client/cli/commands/import.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { hoplinkOf } from "../../../src/client/cli/session.ts";
import { json, ScriptedServer } from "../../support/scripted-server.ts";

test("an import says why it waits and for how long, and then continues where it was", async () => {
  const server = await ScriptedServer.start();
  let said = "";
  const stderr = { write: (text: string) => void (said += text), isTTY: false } as unknown as NodeJS.Process["stderr"];
  const io = new Io({ ...process, stderr }, new AbortController().signal);
  const connection = { url: server.base, key: "svc_test_key", profile: null };
  const made = json(200, { results: [{ link: { slug: "a" } }] });
  const message = "This account can change 1,000 links per minute in bulk requests. Counted for this request: 11. Left";
  const refused = { error: { code: "rate_limited", message: `${message} until 2026-11-01T09:01:00.000Z: 0.` } };
  server.willReply(json(429, refused, { "Retry-After": "2" }), made);
  const imported = createLinks({ io, connection, hoplink: hoplinkOf(connection, io) }, [
    { line: 2, link: { url: "https://example.com/" } },
  ]);
  expect((await imported.next()).value).toEqual({ line: 2, needsPassword: false, result: { link: { slug: "a" } } });
  expect(said).toBe("This account can change 1,000 links per minute. Retrying in 3 s.\n");
  expect(server.requests).toHaveLength(2);
  server.stop();
});
