/** Messages of a command that waits for a rate limit. */
import { expect, test } from "vitest";

import { createLinks } from "../../../src/client/cli/commands/import.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { hoplinkOf } from "../../../src/client/cli/session.ts";
import { apiError, json, ScriptedServer } from "../../support/scripted-server.ts";

test("an import says why it waits and for how long, and then continues where it was", async () => {
  const server = await ScriptedServer.start();
  let said = "";
  const stderr = { write: (text: string) => void (said += text), isTTY: false } as unknown as NodeJS.Process["stderr"];
  const io = new Io({ ...process, stderr }, new AbortController().signal);
  const connection = { url: server.base, key: "svc_test_key", profile: null };
  const made = json(200, { results: [{ link: { slug: "a" } }] });
  server.willReply(apiError(429, "rate_limited", { "Retry-After": "2" }), made);
  const imported = createLinks({ io, connection, hoplink: hoplinkOf(connection, io) }, [
    { line: 2, link: { url: "https://example.com/" } },
  ]);
  expect((await imported.next()).value).toEqual({ line: 2, needsPassword: false, result: { link: { slug: "a" } } });
  expect(said).toBe("this is rate_limited. Retrying in 3 s.\n");
  expect(server.requests).toHaveLength(2);
  server.stop();
});
