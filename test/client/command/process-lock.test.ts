/** The lock beside a cursor file: one process holds it, and a killed holder blocks no one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";

const MODULE = resolve(import.meta.dirname, "../../../src/client/cli/process-lock.ts");
const AT_ONCE = 8;
/** Other systems have no /proc, and Windows has no ps. */
const onLinux = test.skipIf(process.platform !== "linux");

const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

const newLock = () => join(mkdtempSync(join(tmpdir(), "hoplink-lock-")), "tail.cursor.lock");

const WITHOUT_PROC = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { readFileSync } = fs;
    fs.readFileSync = (path, ...more) => readFileSync(String(path).replace(/^\\/proc\\//, "/absent/"), ...more);
    syncBuiltinESMExports();`;

/** A process that tries once a file `start` exists, and runs until its input ends. @returns the holder it learned */
function contend(lock: string, before = "") {
  const script = `${before}
    import { existsSync } from "node:fs";
    import { takeProcessLock } from ${JSON.stringify(MODULE)};
    process.stdin.resume();
    process.stdout.write("ready ");
    while (!existsSync(${JSON.stringify(`${lock}.start`)}));
    process.stdout.write(String(takeProcessLock(${JSON.stringify(lock)})));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  return {
    pid: child.pid,
    ready: () => eventually(() => printed.startsWith("ready "), "it is ready"),
    holder: async () => {
      await eventually(() => /^ready \w/.test(printed), "an answer");
      return printed.slice("ready ".length);
    },
    end: async () => {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** All try simultaneously. */
async function contendAll(lock: string, count: number, before = "") {
  const all = Array.from({ length: count }, () => contend(lock, before));
  await Promise.all(all.map(({ ready }) => ready()));
  writeFileSync(`${lock}.start`, "");
  const holders = await Promise.all(all.map(({ holder }) => holder()));
  return { all, winners: all.filter((_, i) => holders[i] === "null"), holders };
}

test("one of many processes that start simultaneously gets the lock, and the others report its holder", async () => {
  const lock = newLock();
  const { winners, holders } = await contendAll(lock, AT_ONCE);
  expect(winners.length).toBe(1);
  expect(holders.filter((holder) => holder === String(winners[0]?.pid)).length).toBe(AT_ONCE - 1);
});

test("one of many takes over a killed holder's lock; a holder that ends removes it", async () => {
  const lock = newLock();
  const [first] = (await contendAll(lock, 1)).winners;
  await first?.kill();
  expect(existsSync(lock)).toBe(true);
  const { all, winners } = await contendAll(lock, AT_ONCE);
  expect(winners.length).toBe(1);
  for (const { end } of all) await end();
  expect(readdirSync(dirname(lock))).toEqual(["tail.cursor.lock.start"]);
});

test.each(["", "unrelated text\n", "0 1", "4194304999 1", "99999999999999999999 1"])(
  "a lock file that contains %j is ignored",
  async (text) => {
    const lock = newLock();
    writeFileSync(lock, text);
    expect((await contendAll(lock, 1)).holders).toEqual(["null"]);
  },
);

onLinux("a lock of an ended process is free, even if a later process has the same number", async () => {
  const lock = newLock();
  const first = await contendAll(lock, 1);
  const [pid, start] = readFileSync(lock, "utf8").split(" ");
  await first.winners[0]?.kill();
  writeFileSync(lock, `${process.pid} ${start}`);
  expect([pid, (await contendAll(lock, 1)).holders]).toEqual([String(first.winners[0]?.pid), ["null"]]);

  // `sleep` never reaps the child that it inherited from its shell.
  const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 600"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(parent);
  const ended = String((await once(parent.stdout, "data"))[0]).trim();
  await eventually(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n", "the shell is gone");
  parent.stdin.end();
  await eventually(() => / Z /.test(readFileSync(`/proc/${ended}/stat`, "utf8")), "it has ended");
  const other = newLock();
  writeFileSync(other, `${ended} ${readFileSync(`/proc/${ended}/stat`, "utf8").split(" ")[21]}`);
  expect((await contendAll(other, 1)).holders).toEqual(["null"]);
});

test.skipIf(process.platform === "win32")(
  "without /proc, ps identifies a later process with the same number",
  async () => {
    const lock = newLock();
    const [first] = (await contendAll(lock, 1, WITHOUT_PROC)).winners;
    expect((await contendAll(lock, 1, WITHOUT_PROC)).holders).toEqual([String(first?.pid)]);
    const [, start] = readFileSync(lock, "utf8").split(" ");
    expect(Math.abs(Number(start) - Date.now())).toBeLessThan(60_000);
    await first?.kill();
    const unknown = newLock();
    writeFileSync(unknown, `${process.pid} `);
    expect((await contendAll(unknown, 1, WITHOUT_PROC)).holders).toEqual([String(process.pid)]);
    writeFileSync(lock, `${process.pid} ${Number(start) - 3_600_000}`);
    expect((await contendAll(lock, 1, WITHOUT_PROC)).holders).toEqual(["null"]);
  },
);
