/** Shared by the commands for a deployment: options, progress, questions, result and exit code. */
import { Console } from "node:console";

import { Command, CommanderError, type OutputConfiguration, type ParseOptions } from "@commander-js/extra-typings";

import type { Main } from "../command.ts";
import { Dialog } from "./dialog.ts";
import { endWhenInterrupted } from "./interruption.ts";
import { EXIT, SetupError } from "./setup-error.ts";

interface CommonOptions {
  json?: true | undefined;
  /** Suppresses all questions. */
  yes?: true | undefined;
}

interface Parser<Options> {
  configureOutput: (output: OutputConfiguration) => unknown;
  parse: (argv: readonly string[], options: ParseOptions) => { opts: () => Options };
}

/**
 * @param script  in package.json
 * @param result  what `--json` prints
 */
export function deploymentCommand(script: string, result: string) {
  return new Command(`npm run ${script} --`)
    .option("--json", `write progress to standard error, and ${result} as the last line of standard output`)
    .showHelpAfterError()
    .exitOverride();
}

/**
 * Questions and wrangler use the terminal and the environment of the process.
 * @param load  the implementation: it imports wrangler, which is slow; invalid options are reported before that
 * @param describe  the result for people
 */
export function deploymentMain<Options extends CommonOptions, Outcome>(
  command: () => Parser<Options>,
  load: () => Promise<(options: Options, dialog: Dialog) => Promise<Outcome>>,
  describe: (outcome: Outcome) => string,
): Main {
  return async (argv, { stdout, stderr }) => {
    // Ignores a closed pipe.
    const console = new Console(stdout, stderr);
    const parser = command();
    parser.configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    });
    try {
      const options = parser.parse(argv, { from: "user" }).opts();
      const run = await load();
      // With --json, standard output contains only the result.
      const outcome = await run(options, new Dialog(options.json ? stderr : stdout, !options.json && !options.yes));
      console.log(options.json ? JSON.stringify(outcome) : `\n${describe(outcome)}\n`);
      return 0;
    } catch (error) {
      // Commander has already printed it.
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
      console.error(`\n${error instanceof Error ? error.message : String(error)}`);
      return error instanceof SetupError ? error.exitCode : EXIT.failed;
    }
  };
}

/** Runs a command as this process, until Ctrl-C ends it. */
export async function runUntilInterrupted(
  main: (argv: readonly string[], io: NodeJS.Process) => Promise<number>,
): Promise<void> {
  endWhenInterrupted();
  process.exitCode = await main(process.argv.slice(2), process);
}
