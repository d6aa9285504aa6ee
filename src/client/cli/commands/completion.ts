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

/** Last: it completes the commands that are there. */
export function addCompletionCommand(program: Command, io: Io): void {
  tab(program as unknown as Parameters<typeof tab>[0], { completionCommandName: "completion" });
  program.commands
    .find((command) => command.name() === "completion")
    ?.description("print a script that completes commands: bash, zsh, fish or powershell")
    .hook("preAction", ({ args }) => (args[0] === "bash" ? io.write(BASH_FALLBACK) : undefined));
}
