/** `npm run import` as a process, against a server whose answers the test chooses. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { AT_ONCE_MS, interruptTwice, LATER_MS } from "../support/double-interrupt.ts";
import { json, ScriptedServer } from "../support/scripted-server.ts";

const PROGRAM = resolve(import.meta.dirname, "../../src/cli/import/import.ts");

let server: ScriptedServer;
let child: ChildProcess;

beforeEach(async () => {
  server = await ScriptedServer.start();
});

afterEach(() => {
  child.kill("SIGKILL");
  server.stop();
});

/** Imports one link. @returns its exit code, signal and output */
function start() {
  const file = join(mkdtempSync(join(tmpdir(), "hoplink-import-")), "links.csv");
  writeFileSync(file, "keyword,url,title\na,https://example.com/,A\n");
  const running = spawn(process.execPath, [PROGRAM, file, "--key", "svc_live_key", "--url", server.base, "--json"]);
  child = running;
  const printed = { out: "", said: "" };
  running.stdout.on("data", (chunk) => (printed.out += String(chunk)));
  running.stderr.on("data", (chunk) => (printed.said += String(chunk)));
  return once(running, "close").then(([code, signal]) => ({ code, signal, ...printed }));
}

/** @param betweenMs  between two presses of Ctrl-C while the link is created */
async function interruptedTwice(betweenMs: number) {
  return interruptTwice(server, start, (signal) => child.kill(signal), betweenMs);
}

test("two Ctrl-C in quick succession count as one: the request in flight is finished", async () => {
  const { code, out } = await interruptedTwice(AT_ONCE_MS);
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ created: 1 })]);
});

test("a second Ctrl-C later ends it immediately", async () => {
  expect(await interruptedTwice(LATER_MS)).toMatchObject({ code: null, signal: "SIGINT", out: "" });
});

const HOSTILE = { error: { message: "no\u001b]0;gone\u0007\r\nforged" } };

test("no text of a server controls the terminal or starts a new line", async () => {
  const busy = json(503, HOSTILE, { "Retry-After": "1" });
  // It requests the account and its domains simultaneously.
  server.willReply(busy, busy, json(401, HOSTILE));
  const { code, said } = await start();
  expect(code).toBe(2);
  const waits = expect.stringMatching(
    /^no\\u\{1b\}\]0;gone\\u\{7\}\\u\{d\}\\u\{a\}forged \(503\)\. Trying again in \d s\.$/,
  );
  expect(said.split("\n").slice(1)).toEqual([waits, waits, String.raw`no\u{1b}]0;gone\u{7}\u{d}\u{a}forged (401)`, ""]);
});
