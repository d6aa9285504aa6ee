/** `hoplink` within this process: exit codes and output. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import { afterAll, beforeAll, expect, test } from "vitest";

import { interrupted } from "../../../src/client/cli/errors.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { main } from "../../../src/client/cli/main.ts";
import { json, ScriptedServer } from "../../support/scripted-server.ts";

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

const { signal: NEVER } = new AbortController();

async function run(args: readonly string[], { stdout = new Output(), signal = NEVER, isTTY = false } = {}) {
  const [stdin, stderr] = [Object.assign(Readable.from([]), { isTTY }), Object.assign(new Output(), { isTTY })];
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
  ["ENOSPC", 1, "Cannot write the output: ENOSPC\n"],
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

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "hoplink-main-")), "file");
  writeFileSync(path, text);
  return path;
}

const EMPTY_ACCOUNT = { default_domain: "hop.example", plan: "free", limits: { links: { used: 0 } } };
const EMPTY_PAGE = { data: [], next_cursor: null };

function willReplyEmpty(): void {
  server.willReply((response, request) =>
    json(200, request.path === "/v1/me" ? EMPTY_ACCOUNT : EMPTY_PAGE)(response, request),
  );
}

test("apply --json does not ask, even at a terminal: its plan was not shown", async () => {
  willReplyEmpty();
  const file = fileWith("links: [{ slug: a, url: https://example.com/ }]");
  const { code, stdout, stderr } = await run(["apply", file, "--json"], { isTTY: true });
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("Add --yes.")]);
});

test("apply --json reports changes that cannot be made", async () => {
  willReplyEmpty();
  const file = fileWith("links: [{ slug: a, domain: go.example, url: https://example.com/ }]");
  const { code, stdout } = await run(["apply", file, "--json", "--yes"]);
  const problems = [{ line: 1, address: "go.example/a", message: expect.stringContaining("is not in your account") }];
  expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ created: 0, left: 0, problems })]);
});

const CLICK = "2026-11-21T09:10:00.000Z";

test.each([
  ["", null, true],
  [`7,${CLICK}\r\n`, "7", false],
])(
  "export --resume continues after the last click of the file, even if --from is later by now",
  async (row, after, hasFrom) => {
    server.willReply((response) => {
      response.writeHead(200, { "Content-Type": "text/csv" }).end("seq,occurred_at\r\n");
    });
    const file = fileWith(`seq,occurred_at\r\n${row}`);
    const args = `export lnk_${"0".repeat(26)} --from 1d --filter country=DE --resume --out ${file}`.split(" ");
    expect(await run(args)).toMatchObject({ code: 0 });
    const query = new URL(server.requests.at(-1)?.path ?? "", server.base).searchParams;
    expect([query.get("after"), query.has("from"), query.get("country")]).toEqual([after, hasFrom, "DE"]);
  },
);
