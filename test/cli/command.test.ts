/** The command lines of package.json's scripts, each in a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const TIMEOUT_MS = 60_000;

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** Those that end with a file of this project. */
const COMMANDS = Object.entries(scripts).flatMap(([name, script]): [string, string][] => {
  const [, file] = /(?:^|&& )node (\S+\.ts)$/.exec(script) ?? [];
  return file === undefined ? [] : [[name, file]];
});

describe.each(COMMANDS)("npm run %s", { timeout: TIMEOUT_MS }, (name, file) => {
  it("says with --help how it is called, and does nothing", async () => {
    const { code, stdout, stderr } = await run(file, "--help");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
  });

  it("refuses an option that it does not have, with 2", async () => {
    const { code, stdout, stderr } = await run(file, "--no-such-option");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/unknown option '--no-such-option'/i);
  });
});

async function run(file: string, option: string) {
  const child = spawn(process.execPath, [file, option], { cwd: ROOT });
  const code = new Promise<number | null>((done) => child.once("close", done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
