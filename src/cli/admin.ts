/**
 * The operator's command line. `--local` (the default) uses the development database, `--remote` the deployed one; the
 * commands are in `admin/`.
 */
import { Command, CommanderError, Option } from "@commander-js/extra-typings";

import { addAccountCommands } from "./admin/accounts.ts";
import { addDeploymentCommands } from "./admin/deployment.ts";
import { addAccountKeys, addKeyCommands } from "./admin/keys.ts";
import { addLinkCommands } from "./admin/links.ts";
import { addOperatorCommands } from "./admin/operators.ts";
import { type Io, Target } from "./admin/target.ts";
import { harmlessLines } from "./command.ts";
import { runUntilInterrupted } from "./deployment/command.ts";
import { EXIT, textOf } from "./deployment/setup-error.ts";

/** @param argv  without the paths of Node and the script @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const target = new Target(io);
  try {
    await adminProgram(target).parseAsync(argv, { from: "user" });
    return target.exitCode;
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    target.console.error(harmlessLines(textOf(error)));
    return EXIT.failed;
  }
}

/** The commands, by area, and the options that they share. */
export function adminProgram(target: Target) {
  const program = new Command("npm run admin --")
    .description("Looks after accounts, keys, links and the deployment itself.")
    .addOption(new Option("--local", "work on the development database (default)").conflicts("remote"))
    .option("--persist-to <DIR>", "where that is, as in npm run dev")
    .option("--remote", "work on the deployed database")
    .option("--json", "print JSON")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError("(add --help to see what there is)")
    .configureOutput({
      writeOut: (text) => target.io.stdout.write(text),
      writeErr: (text) => target.io.stderr.write(text),
    })
    .exitOverride();
  program.hook("preAction", () => void (target.options = program.opts()));
  addAccountKeys(addAccountCommands(program, target), target);
  addKeyCommands(program, target);
  addLinkCommands(program, target);
  addOperatorCommands(program, target);
  addDeploymentCommands(program, target);
  return program;
}

if (import.meta.main) await runUntilInterrupted(main);
