/** `hoplink completion SHELL`: a script that completes commands and options, which asks `hoplink complete` for them. */
import tab from "@bomb.sh/tab/commander";
import type { Command } from "@commander-js/extra-typings";

import type { Io } from "../io.ts";

/** The script for bash calls a function of the package bash-completion, which is not on every machine. */
const BASH_FALLBACK = `
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}")
    cword=$COMP_CWORD
    cur=\${COMP_WORDS[COMP_CWORD]}
    prev=\${COMP_WORDS[COMP_CWORD - 1]}
}
`;

/**
 * The library's script for bash puts the line's words into a command and runs it by `eval`: with Tab alone a `$(…)` on the
 * line would be executed, and the file behind a `>` emptied. Passed one by one, they are words and nothing else.
 */
const BASH_EVAL = 'out=$(eval "$requestComp" 2>/dev/null)';
const BASH_CALL = 'out=$(hoplink complete -- "${words[@]:1:cword}" 2>/dev/null)';

/** @throws Error when another release of the library writes another script */
function bashScript(generated: string): string {
  const script = generated.replace(BASH_EVAL, () => BASH_CALL);
  if (script === generated) throw new Error("the script for bash is not the one that is mended here");
  return BASH_FALLBACK + script;
}

/** Last: it completes the commands that are there. */
export function addCompletionCommand(program: Command, io: Io): void {
  tab(program as unknown as Parameters<typeof tab>[0], { completionCommandName: "completion" });
  program.commands
    .find((command) => command.name() === "completion")
    ?.description("print a script that completes commands: bash, zsh, fish or powershell")
    .hook("preAction", ({ args }) => (args[0] === "bash" ? mendNextScript(io) : undefined));
}

/** The library gives its script to `console.log` alone. */
function mendNextScript(io: Io): void {
  const { log } = console;
  console.log = (generated: string) => {
    console.log = log;
    io.stdout.write(`${bashScript(generated)}\n`);
  };
}
