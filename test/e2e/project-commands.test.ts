/**
 * Commands of the guides that operate on the checkout itself. Other tests cover their full runs, or the command runs
 * these tests. Here each runs in a short form, so that a renamed script, option or file fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { examplesRunBy } from "../support/examples.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";

const TIMEOUT_MS = 180_000;
const COMMANDS = [...new Set(examplesRunBy(import.meta.filename).map(({ code }) => code))];

/** Patterns of the program that a command finally runs, with its replacement and that replacement's output. */
const SHORT_FORMS: [pattern: RegExp, short: string, printed: RegExp][] = [
  [/^npm ci$/, "npm ci --dry-run --offline --ignore-scripts >/dev/null && echo sound", /^sound$/],
  [/^git pull$/, "git --version", /^git/],
  [/vitest run(?=.* -t )/, "vitest list", /^\[[\w-]+\] test\/.* > /m],
  [/vitest run/, "vitest list --filesOnly", /^\[[\w-]+\] test\//m],
  [/bench\.ts/, "bench.ts --help", /^Usage: /],
  // Its port is taken.
  [/src\/cli\/dev\.ts/, "src/cli/dev.ts", /^Port \d+ is in use/],
];

const listener = createServer();
let takenPort: number;
let copy: ProjectCopy;

beforeAll(async () => {
  takenPort = await listenOnFreePort(listener);
  copy = copyProject();
});

afterAll(() => {
  copy.remove();
  listener.close();
});

test.each(COMMANDS)("%s is understood, in a short form", { timeout: TIMEOUT_MS }, async (command) => {
  const last = lastOf(command);
  const [pattern, short, printed] = SHORT_FORMS.find(([form]) => form.test(last)) ?? [];
  if (!pattern || !short || !printed) throw new Error(`no short form of ${last}`);
  expect(await run(last.replace(pattern, short))).toMatch(printed);
});

/** For a script of the package: its last command, with the arguments that it gets. */
function lastOf(command: string): string {
  const [whole, variables = "", script = "", options = ""] =
    /^(.*?)npm (?:run )?(test|bench|dev)(?: --(.*))?$/.exec(command) ?? [];
  if (whole === undefined) return command;
  const { scripts } = JSON.parse(readFileSync(join(copy.folder, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  return `${variables}${scripts[script]?.split(" && ").at(-1)}${options}`;
}

/** @returns all that it prints */
async function run(command: string): Promise<string> {
  // Vitest within Vitest mistakes the variables of the outer one for its own.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const child = spawn("bash", ["-c", command], {
    cwd: copy.folder,
    env: { ...Object.fromEntries(own), PORT: String(takenPort) },
  });
  const ended = once(child, "close");
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return printed.join("").trim();
}
