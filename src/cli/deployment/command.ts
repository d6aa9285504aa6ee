/** What the commands for a deployment have in common: options, progress, questions, result and exit code. */
import { Command, CommanderError } from "@commander-js/extra-typings";

import { endWhenInterrupted } from "./interruption.ts";
import { Progress } from "./progress.ts";
import { isInteractive, NOBODY_TO_ASK, type Questions, TERMINAL } from "./questions.ts";
import { EXIT, SetupError } from "./setup-error.ts";

interface CommonOptions {
  json?: true | undefined;
  /** Asks nothing. */
  yes?: true | undefined;
}

/**
 * @param script  of package.json
 * @param result  what `--json` prints
 */
export function deploymentCommand(script: string, result: string) {
  return new Command(`npm run ${script} --`)
    .option("--json", `progress goes to standard error; the last line of standard output is ${result}`)
    .showHelpAfterError()
    .exitOverride();
}

/** @param describe  the result for people */
export async function runDeploymentCommand<Options extends CommonOptions, Outcome>(
  command: { parse: () => { opts: () => Options } },
  run: (options: Options, progress: Progress, questions: Questions) => Promise<Outcome>,
  describe: (outcome: Outcome) => string,
): Promise<void> {
  endWhenInterrupted();
  try {
    const options = command.parse().opts();
    // With --json, standard output has nothing but the result.
    const progress = new Progress(options.json ? process.stderr : process.stdout);
    const questions = isInteractive() && !options.json && !options.yes ? TERMINAL : NOBODY_TO_ASK;
    const outcome = await run(options, progress, questions);
    console.log(options.json ? JSON.stringify(outcome) : `\n${describe(outcome)}\n`);
  } catch (error) {
    // Commander has printed it.
    if (error instanceof CommanderError) return void (process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage);
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = error instanceof SetupError ? error.exitCode : EXIT.failed;
  }
}
