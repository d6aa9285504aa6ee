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

const LINK_ID = `lnk_${"0".repeat(26)}`;

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

test("destinations without a scheme get https://", async () => {
  server.willReply(json(200, {}));
  const from = server.requests.length;
  for (const args of [
    ["links", "create", "example.com", "--fallback-url", "example.com/soon"],
    ["links", "update", LINK_ID, "--url", "example.com:8443/x"],
    ["backtest", LINK_ID, "--routing", fileWith("[]"), "--url", "http://example.com/"],
  ])
    await run([...args, "--json"]);
  expect(server.requests.slice(from).map(({ body }) => JSON.parse(body))).toEqual([
    { url: "https://example.com", fallback_url: "https://example.com/soon" },
    { url: "https://example.com:8443/x" },
    { routing: [], url: "http://example.com/" },
  ]);
});

test("whoami shows limits in the words and units of people", async () => {
  const bytes = { used: 1_250_000, max: 1_000_000_000 };
  const links = { used: 1_000, max: 10_000 };
  const counts = [
    "links",
    "links_created",
    "keys",
    "domains",
    "qr_codes",
    "bulk_links_per_minute",
    "bulk_links_per_day",
  ];
  const sizes = ["qr_image_bytes", "social_image_bytes", "idempotency_bytes"];
  const limits = Object.fromEntries([...counts.map((name) => [name, links]), ...sizes.map((name) => [name, bytes])]);
  server.willReply(json(200, { account: { id: "acc_1" }, plan: "free", mode: "live", scopes: [], key: null, limits }));
  const { stdout } = await run(["whoami"]);
  expect(stdout.slice(stdout.indexOf("LIMIT")).split("\n")).toEqual([
    "LIMIT                                    USED       MAX",
    "links                                   1,000    10,000",
    "links ever created                      1,000    10,000",
    "API keys                                1,000    10,000",
    "domains                                 1,000    10,000",
    "QR codes                                1,000    10,000",
    "images of QR codes                     1.3 MB  1,000 MB",
    "images of link previews                1.3 MB  1,000 MB",
    "links imported or applied this minute   1,000    10,000",
    "links imported or applied today (UTC)   1,000    10,000",
    "",
  ]);
});

test("a limit per day is waited for in hours, and counts of the request are left out", async () => {
  const message =
    "This account can change 10,000 links per day in bulk requests. Counted for this request: 20. Left: 0.";
  server.willReply(json(429, { error: { code: "rate_limited", message } }, { "Retry-After": "20000" }));
  expect((await run(["import", fileWith("url\nhttps://example.com/\n")])).stderr).toContain(
    "This account can change 10,000 links per day.\nTry again in 6 hours.\n",
  );
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
