/** Checks the guide of the command line against its commands. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, test } from "vitest";

import { EXIT_CODES } from "../../src/client/cli/errors.ts";
import { Io } from "../../src/client/cli/io.ts";
import { hoplinkProgram } from "../../src/client/cli/main.ts";

const GUIDE = readFileSync(join(resolve(import.meta.dirname, "../.."), "src/docs/cli.md"), "utf8");
const program: CommandUnknownOpts = hoplinkProgram(new Io(process, new AbortController().signal));

/** Commands with their arguments, such as `links get <LINK>`. */
function commandsOf(command: CommandUnknownOpts, words: string): string[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter((one) => one.name() !== "help");
  if (inner.length > 0) return inner.flatMap((one) => commandsOf(one, `${words} ${one.name()}`));
  const places = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  return [[words, ...places].join(" ")];
}

test("the table of commands lists all of them, with their arguments", () => {
  const rows = [...GUIDE.matchAll(/^\| `(hoplink [^`]+)` \|/gm)].map(([, name = ""]) => name);
  expect(rows.toSorted()).toEqual(commandsOf(program, "hoplink").toSorted());
});

test("the options in the guide exist", () => {
  const known = new Set(["--help", "--global", ...optionsOf(program)]);
  const named = [...GUIDE.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

function optionsOf(command: CommandUnknownOpts): (string | undefined)[] {
  return [...command.options.map(({ long }) => long), ...command.commands.flatMap(optionsOf)];
}

test("the exit codes are those of the command", () => {
  const rows = [...GUIDE.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, when]) => ({ code: Number(code), when }));
  expect(rows).toEqual(Object.values(EXIT_CODES));
});
