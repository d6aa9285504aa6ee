/** `hoplink` within this process: exit codes, and what is printed where. */
import { Readable, Writable } from "node:stream";

import { afterAll, beforeAll, expect, test } from "vitest";

import { interrupted } from "../../../src/client/cli/errors.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { main } from "../../../src/client/cli/main.ts";
import { ScriptedServer } from "../../support/scripted-server.ts";

let server: ScriptedServer;

beforeAll(async () => {
  server = await ScriptedServer.start();
});

afterAll(() => server.stop());

class Output extends Writable {
  text = "";
  /** @param error  with which every write fails */
  constructor(error: Error | null = null) {
    super({ write: (chunk, _encoding, done) => ((this.text += String(chunk)), done(error)) });
    this.on("error", () => {});
  }
}

async function run(args: readonly string[], { stdout = new Output(), signal = new AbortController().signal } = {}) {
  const [stdin, stderr] = [Readable.from([]), new Output()];
  const env = { HOPLINK_URL: server.base, HOPLINK_API_KEY: "svc_live_key", XDG_CONFIG_HOME: "/nowhere" };
  const code = await main(args, new Io({ stdin, stdout, stderr, env }, signal));
  return { code, stdout: stdout.text, stderr: stderr.text };
}

test("help is on stdout, a wrong command on stderr with 2", async () => {
  expect(await run(["--help"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: hoplink/),
    stderr: "",
  });
  expect(await run(["link"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Did you mean") });
});

test.each([
  ["EPIPE", 0, ""],
  ["ENOSPC", 1, "The output cannot be written: ENOSPC\n"],
])("stdout that fails with %s ends it with %i", async (code, exitCode, stderr) => {
  const failing = () => new Output(Object.assign(new Error(code), { code }));
  expect(await run(["--help"], { stdout: failing() })).toMatchObject({ code: exitCode, stderr });
  expect(await run(["completion", "bash"], { stdout: failing() })).toMatchObject({ code: exitCode, stderr });
});

test("Ctrl-C during a request ends it with 130, and prints nothing", async () => {
  const interrupt = new AbortController();
  server.willReply(() => interrupt.abort(interrupted()));
  expect(await run(["whoami"], { signal: interrupt.signal })).toEqual({ code: 130, stdout: "", stderr: "" });
});
