/** What the commands for a deployment that runs have in common: usage, progress, result and exit code. */
import { Progress } from "./progress.ts";
import { isInteractive, NOBODY_TO_ASK, type Questions, TERMINAL } from "./questions.ts";
import { EXIT, SetupError } from "./setup-error.ts";

interface CommonOptions {
  json: boolean;
  help: boolean;
}

/**
 * @param parse  throws on options that are not known
 * @param describe  the result for people
 */
export async function runDeploymentCommand<Options extends CommonOptions, Outcome>(
  usage: string,
  parse: () => Options,
  run: (options: Options, progress: Progress, questions: Questions) => Promise<Outcome>,
  describe: (outcome: Outcome) => string,
): Promise<void> {
  try {
    const options = parseOrRefuse(parse, usage);
    if (options.help) return console.log(usage);
    // With --json, standard output has nothing but the result.
    const progress = new Progress(options.json ? process.stderr : process.stdout);
    const questions = isInteractive() && !options.json ? TERMINAL : NOBODY_TO_ASK;
    const outcome = await run(options, progress, questions);
    console.log(options.json ? JSON.stringify(outcome) : `\n${describe(outcome)}\n`);
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = error instanceof SetupError ? error.exitCode : EXIT.failed;
  }
}

function parseOrRefuse<Options>(parse: () => Options, usage: string): Options {
  try {
    return parse();
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, EXIT.usage);
  }
}
