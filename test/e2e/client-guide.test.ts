/** The TypeScript client's guide as the single program that it forms: it compiles, and prints what the guide shows. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { DevServer } from "../support/dev-server.ts";
import { eventually, pause } from "../support/eventually.ts";
import { type Example, examplesRunBy } from "../support/examples.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";
import { sharedServer } from "../support/shared-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLES = examplesRunBy(import.meta.filename);
/** The examples in the guide; the package's own page has others. */
const PROGRAM = EXAMPLES.filter(({ text, language }) => language === "ts" && text === "src/docs/client.md");
const OWN_PAGE = EXAMPLES.filter(({ text, language }) => language === "ts" && text === "src/client/README.md");
const PROGRAM_TIMEOUT_MS = 120_000;
const VISIT = { redirect: "manual", headers: { "x-visitor-country": "DE" } } as const;
const VISIT_INTERVAL_MS = 200;

const run = promisify(execFile);

let server: DevServer;
let checkout: ProjectCopy;
/** Folder of the reader, with the package installed. */
let folder: string;

beforeAll(async () => {
  checkout = copyProject();
  folder = mkdtempSync(join(tmpdir(), "hoplink-guide-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  server = await sharedServer();
  await install();
  writeFileSync(join(folder, "guide.ts"), codeOf(PROGRAM));
  writeFileSync(join(folder, "readme.ts"), codeOf(OWN_PAGE));
});

afterAll(() => {
  checkout.remove();
  rmSync(folder, { recursive: true });
});

function codeOf(examples: readonly Example[]): string {
  return examples.map(({ code }) => `${code}\n`).join("\n");
}

/** Builds the package in the checkout and installs it in the project, as the guide says. */
async function install(): Promise<void> {
  const env = { ...process.env, npm_config_offline: "true" };
  for (const { code } of EXAMPLES.filter(({ language }) => language === "sh")) {
    const cwd = code.startsWith("npm run ") ? checkout.folder : folder;
    await run("bash", ["-c", code.replace("PATH_OF_THE_CHECKOUT", checkout.folder)], { cwd, env });
  }
}

test(
  "the examples compile under strict, and so does the one on the package's own page",
  { timeout: PROGRAM_TIMEOUT_MS },
  async () => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const types = ["--lib", "es2022,dom", "--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
    const kind = ["--target", "es2022", "--module", "node16", "--strict", "--exactOptionalPropertyTypes", "--noEmit"];
    const printed = await run(process.execPath, [tsc, ...kind, ...types, "guide.ts", "readme.ts"], {
      cwd: folder,
    }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(printed).toBe("");
  },
);

test("the examples print what the guide shows", { timeout: PROGRAM_TIMEOUT_MS }, async () => {
  const shown = PROGRAM.map(({ answer }) => `${answer}\n`).join("");
  const expected = shown.replaceAll("localhost:8787", `localhost:${server.port}`);
  const program = start("guide.ts");
  try {
    await eventually(() => program.isOver() || program.printed.includes("waiting for clicks"), "the stream is open");
    await fetch(`${server.base}/client`, VISIT);
    const isShown = () => program.isOver() || program.printed.length >= expected.length;
    await eventually(isShown, "all that the guide shows").catch(() => {});
    expect(program.printed).toBe(expected);
    expect(readFileSync(join(folder, "clicks.csv"), "utf8")).toMatch(/^seq,/);
    expect(readFileSync(join(folder, "code.svg"), "utf8")).toMatch(/^<svg/);
  } finally {
    await program.stop();
  }
});

test("the example on the package's own page prints the link, then its clicks", async () => {
  const program = start("readme.ts");
  const isShown = async () => {
    const [link, ...clicks] = program.printed.split("\n");
    // The stream opens some time after the link is created.
    if (link) await fetch(link, VISIT);
    await pause(VISIT_INTERVAL_MS);
    return program.isOver() || clicks.includes("DE other");
  };
  try {
    await eventually(isShown, "a click").catch(() => {});
    expect(program.printed).toMatch(/^http:\/\/localhost:\d+\/\w+\nDE other\n/);
  } finally {
    await program.stop();
  }
});

/** Runs a program of the reader. */
function start(file: string) {
  const env = { ...process.env, HOPLINK_URL: server.base, HOPLINK_API_KEY: server.accounts.Premium.live };
  const child = spawn(process.execPath, [file], { cwd: folder, env });
  const ended = new Promise((done) => child.once("exit", done));
  const program = {
    printed: "",
    isOver: () => child.exitCode !== null,
    stop: () => {
      child.kill();
      return ended;
    },
  };
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (program.printed += String(chunk)));
  return program;
}
