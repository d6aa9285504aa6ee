/** `hoplink completion SHELL`: a script that completes commands and options, and `hoplink complete`, which it asks. */
import { Argument, type Command, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { candidatesFor, FILES } from "../completion/candidates.ts";
import { SCRIPTS } from "../completion/scripts.ts";
import type { Io } from "../io.ts";

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command("completion")
    .description(`print a script that completes commands: ${SHELLS.slice(0, -1).join(", ")} or ${SHELLS.at(-1)}`)
    .addArgument(new Argument("<SHELL>", "where it runs").choices(SHELLS))
    .action((shell) => io.write(SCRIPTS[shell].trimStart()));
  program
    .command("complete", { hidden: true })
    .argument("[WORDS...]")
    .action((words) => complete(program as unknown as CommandUnknownOpts, words, io));
}

async function complete(program: CommandUnknownOpts, words: readonly string[], io: Io): Promise<void> {
  const candidates = candidatesFor(program, words);
  if (candidates === FILES) return io.print(":files");
  if (candidates.length > 0) await io.print(...candidates.map(({ text, description }) => `${text}\t${description}`));
}
