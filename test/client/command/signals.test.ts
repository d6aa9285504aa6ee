/** How signals affect the process of `hoplink`: npm forwards the Ctrl-C that the terminal has sent already. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { AT_ONCE_MS, interruptTwice, LATER_MS } from "../../support/double-interrupt.ts";
import { eventually } from "../../support/eventually.ts";
import { hang, ScriptedServer } from "../../support/scripted-server.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../src/client/cli/hoplink.ts");

let server: ScriptedServer;
let folder: string;
let child: ChildProcess;

beforeEach(async () => {
  server = await ScriptedServer.start();
  folder = mkdtempSync(join(tmpdir(), "hoplink-signals-"));
});

afterEach(() => {
  child.kill("SIGKILL");
  server.stop();
});

/** @returns its exit code, signal and output */
function start(...args: string[]) {
  const env = { PATH: process.env.PATH, HOPLINK_URL: server.base, HOPLINK_API_KEY: "svc_live_key" };
  const running = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  child = running;
  let printed = "";
  running.stdout.on("data", (chunk) => (printed += String(chunk)));
  return once(running, "close").then(([code, signal]) => ({ code, signal, printed }));
}

/** Creates a link, and is interrupted while the request is in flight. @param betweenMs  two presses */
async function applyInterruptedTwice(betweenMs: number) {
  writeFileSync(join(folder, "links.yaml"), "links: [{ slug: a, url: https://example.com/ }]\n");
  return interruptTwice(
    server,
    () => start("apply", "--yes", "--json"),
    (signal) => child.kill(signal),
    betweenMs,
  );
}

test("two Ctrl-C in quick succession count as one: the request in flight is finished", async () => {
  const { code, printed } = await applyInterruptedTwice(AT_ONCE_MS);
  expect([code, JSON.parse(printed)]).toEqual([0, expect.objectContaining({ created: 1, left: 0 })]);
});

test("a second Ctrl-C later ends it immediately", async () => {
  expect(await applyInterruptedTwice(LATER_MS)).toEqual({ code: null, signal: "SIGINT", printed: "" });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("tail that is ended by %s removes its lock", async (signal) => {
  server.willReply(hang);
  const end = start("tail", "--cursor", "tail.cursor");
  await eventually(() => server.requests.length > 0, "the request");
  child.kill(signal);
  expect(await end).toMatchObject({ code: 130, signal: null });
  expect(existsSync(join(folder, "tail.cursor.lock"))).toBe(false);
});
