/** The guide of the TypeScript client as the one program that it is: it compiles, and prints what the guide shows. */
import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClientProject, clientProject } from "../support/client-package.ts";
import { type DevServer, keysOf, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(ROOT, "src/docs/client.md"), "utf8");
const README = readFileSync(join(ROOT, "src/client/README.md"), "utf8");
const PROGRAM_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

let server: DevServer;
let project: ClientProject;

beforeAll(async () => {
  [server, project] = await Promise.all([startDevServer(), clientProject()]);
  writeFileSync(join(project.folder, "guide.ts"), codeOf(GUIDE));
  writeFileSync(join(project.folder, "readme.ts"), codeOf(README));
});

afterAll(async () => {
  await Promise.all([project?.remove(), server?.remove()]);
});

function codeOf(text: string): string {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code).join("\n");
}

/** The texts directly below code. */
function printedIn(text: string): string {
  return [...text.matchAll(/```ts\n[\s\S]*?```\n\n```text\n([\s\S]*?)```/g)]
    .map(([, printed = ""]) => printed)
    .join("");
}

test(
  "the examples compile under strict, that of the package's own page too",
  { timeout: PROGRAM_TIMEOUT_MS },
  async () => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const types = ["--lib", "es2022,dom", "--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
    const kind = ["--target", "es2022", "--module", "node16", "--strict", "--exactOptionalPropertyTypes", "--noEmit"];
    const printed = await run(process.execPath, [tsc, ...kind, ...types, "guide.ts", "readme.ts"], {
      cwd: project.folder,
    }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(printed).toBe("");
  },
);

test("the examples print what the guide shows", { timeout: PROGRAM_TIMEOUT_MS }, async () => {
  const expected = printedIn(GUIDE).replaceAll("localhost:8787", `localhost:${server.port}`);
  const env = { ...process.env, BASE: server.base, KEY: keysOf(server, "Premium").live };
  const program = spawn(process.execPath, ["guide.ts"], { cwd: project.folder, env });
  let printed = "";
  for (const output of [program.stdout, program.stderr]) output.on("data", (chunk) => (printed += String(chunk)));
  const ended = new Promise((done) => program.once("exit", done));
  try {
    const isOver = () => program.exitCode !== null;
    await eventually(() => isOver() || printed.includes("waiting for clicks"), "the stream is open");
    await fetch(`${server.base}/client`, { redirect: "manual", headers: { "x-visitor-country": "DE" } });
    await eventually(() => isOver() || printed.length >= expected.length, "all that the guide shows").catch(() => {});
    expect(printed).toBe(expected);
    expect(readFileSync(join(project.folder, "clicks.csv"), "utf8")).toMatch(/^seq,/);
    expect(readFileSync(join(project.folder, "code.svg"), "utf8")).toMatch(/^<svg/);
  } finally {
    program.kill();
    await ended;
  }
});
