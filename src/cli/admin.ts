/**
 * The operator's command line. `--local` (the default) uses the development database, `--remote` the deployed one; the
 * commands are in `admin/`.
 */
import { Command, CommanderError, Option } from "@commander-js/extra-typings";

import { addAccountCommands, addAccountKeys, addKeyCommands, addOperatorCommands } from "./admin/accounts.ts";
import { addDeploymentCommands } from "./admin/deployment.ts";
import { addLinkCommands } from "./admin/links.ts";
import { type Io, Target } from "./admin/target.ts";
import { EXIT, harmlessLines, textOf } from "./command.ts";
import { runUntilInterrupted } from "./deployment/options.ts";

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

/** All commands, grouped by area, and their shared options. */
export function adminProgram(target: Target) {
  const program = new Command("npm run admin --")
    .description("Manage accounts, API keys, links and the deployment.")
    .addOption(new Option("--local", "use the development database (default)").conflicts("remote"))
    .option("--persist-to <DIR>", "data folder of the development database, as for npm run dev")
    .option("--remote", "use the deployed databases")
    .option("--json", "print JSON")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError("(use --help to list the commands and options)")
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
