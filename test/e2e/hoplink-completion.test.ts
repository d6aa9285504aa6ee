/** The scripts that `hoplink completion` prints, in real shells: what Tab offers, and that it runs nothing of the line. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { HoplinkCommand } from "../support/hoplink-command.ts";
import { program } from "../support/programs.ts";
import { Terminal } from "../support/terminal.ts";

const TEST_TIMEOUT_MS = 400_000;
/** At a terminal: the next key is taken as it is. */
const CTRL_V = "\u0016";
/** Takes the line away. */
const CTRL_U = "\u0015";

let hoplink: HoplinkCommand;
let environment: Record<string, string>;

beforeAll(async () => {
  hoplink = await HoplinkCommand.build();
  environment = { ...hoplink.shellEnvironment(), HOME: hoplink.folder, PS1: "> " };
  for (const name of ["links.csv", "my links.csv"]) writeFileSync(join(hoplink.folder, name), "mine\n");
});

afterEach(() => rmSync(join(hoplink.folder, "made"), { force: true }));
afterAll(() => hoplink.remove());

const isMade = () => existsSync(join(hoplink.folder, "made"));

/** What somebody may have pasted, and be completing behind, within or for. */
const HOSTILE_LINES = [
  "hoplink links list --tag $(touch made) --sta",
  "hoplink links list --tag `touch made` --sta",
  'hoplink links list --tag "$(touch made)" --sta',
  "hoplink links list --tag '$(touch made)' --sta",
  `hoplink links list --tag 'it'"'"'s $(touch made)' --sta`,
  "hoplink links list --tag=$(touch made)",
  "hoplink links list --x$(touch made)=",
  "hoplink links list --x`touch made`=",
  'hoplink links list "--x=$(touch made)',
  "hoplink links list $(touch made",
  "hoplink $(touch made)",
  "hoplink import $(touch made)",
  "hoplink import `touch made`",
  'hoplink import "$(touch made)',
  "hoplink import --cursor=$(touch made)",
  "hoplink links list > links.csv --sta",
];

const AT_TERMINAL = [
  { shell: "bash", args: ["--norc", "--noprofile", "-i"], settings: ":" },
  // There Tab by itself runs a `$(…)` that it stands behind, of any command; and Ctrl-U leaves what is before a line end.
  { shell: "zsh", args: ["-f", "-i"], settings: "bindkey '^I' complete-word '^U' kill-buffer" },
].map((one) => ({ ...one, ...program(one.shell) }));

describe.each(AT_TERMINAL)("$shell", ({ shell, args, settings, isThere, missing }) => {
  let terminal: Terminal | null = null;

  afterEach(() => terminal?.kill());

  async function startShell(): Promise<Terminal> {
    terminal = new Terminal(shell, args, hoplink.folder, environment);
    terminal.answer(`source <(hoplink completion ${shell})`);
    await hasDone(terminal);
    return terminal;
  }

  /** Leaves the line, once the shell has taken all that was typed. What it shows differs from what it was told. */
  async function hasDone(at: Terminal): Promise<void> {
    at.answer(`${CTRL_U}echo do''ne`);
    await at.shows("done");
  }

  /** Types a line and Tab, and sees what becomes of it. */
  async function completes(at: Terminal, line: string, becomes: string): Promise<void> {
    at.type(`${line}\t`);
    await at.shows(becomes);
    await hasDone(at);
  }

  test.skipIf(!isThere)(`Tab completes${missing}`, { timeout: TEST_TIMEOUT_MS }, async () => {
    const at = await startShell();
    await completes(at, "hoplink who", "hoplink whoami ");
    await completes(at, "hoplink links cr", "hoplink links create ");
    await completes(at, "hoplink links list --sta", "hoplink links list --status ");
    await completes(at, "hoplink links list --status ex", "hoplink links list --status expired ");
    await completes(at, "hoplink links list --status=ex", "hoplink links list --status=expired ");
    await completes(at, "hoplink links list --tag 'a b' --sta", "--status ");
    await completes(at, "hoplink import lin", "hoplink import links.csv ");
    await completes(at, "hoplink tail --cursor=my", "hoplink tail --cursor=my\\ links.csv ");
    at.type("hoplink links \t\t");
    for (const name of ["create", "delete", "list"]) await at.shows(name);
  });

  test.skipIf(!isThere)(`Tab runs nothing of the line${missing}`, { timeout: TEST_TIMEOUT_MS }, async () => {
    const at = await startShell();
    at.answer(settings);
    const withNewline = `hoplink links list --tag 'a${CTRL_V}\n$(touch made)' --sta`;
    for (const line of [...HOSTILE_LINES, withNewline]) {
      at.type(`${line}\t`);
      await hasDone(at);
      expect([isMade(), readFileSync(join(hoplink.folder, "links.csv"), "utf8")], line).toEqual([false, "mine\n"]);
    }
    await completes(at, "hoplink links list --tag '$(touch made)' --sta", "--status ");
  });
});

const fish = program("fish");

describe("fish", () => {
  /** @returns what it offers for the last word */
  function offered(line: string): string[] {
    const script = "hoplink completion fish | source; complete -C $argv[1]";
    const options = { cwd: hoplink.folder, env: environment, encoding: "utf8" } as const;
    const printed = execFileSync("fish", ["--no-config", "-c", script, "--", line], options);
    return printed.split("\n").slice(0, -1);
  }

  test.skipIf(!fish.isThere)(`Tab completes${fish.missing}`, { timeout: TEST_TIMEOUT_MS }, () => {
    expect(offered("hoplink links ").map((line) => line.split("\t")[0])).toEqual([
      "create",
      "delete",
      "get",
      "list",
      "update",
    ]);
    expect(offered("hoplink links cr")).toEqual(["create\tmake a link"]);
    expect(offered("hoplink links list --tag 'a b' --sta")).toEqual(["--status\texpired or not"]);
    expect(offered("hoplink links list --status ex")).toEqual(["expired"]);
    expect(offered("hoplink links list --status=ex")).toEqual(["--status=expired"]);
    expect(offered("hoplink import lin")).toEqual(["links.csv"]);
    expect(offered("hoplink tail --cursor=my")).toEqual(["--cursor=my links.csv"]);
  });

  test.skipIf(!fish.isThere)(`Tab runs nothing of the line${fish.missing}`, { timeout: TEST_TIMEOUT_MS }, () => {
    const ownForm = HOSTILE_LINES.map((line) => line.replace("$(", "("));
    for (const line of [...HOSTILE_LINES, ...ownForm, "hoplink links list --tag 'a\n(touch made)' --sta"]) {
      offered(line);
      expect([isMade(), readFileSync(join(hoplink.folder, "links.csv"), "utf8")], line).toEqual([false, "mine\n"]);
    }
    expect(offered("hoplink links list --tag '(touch made)' --sta")).toEqual(["--status\texpired or not"]);
  });
});
