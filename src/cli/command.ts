/**
 * Shared by the commands of this checkout. A command reads its arguments before it loads anything heavy, and ends on its
 * own. `process.exit` and uncaught errors wait for V8's compiler threads, and deadlock if one of those waits for the main
 * thread to collect garbage.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";

import { endBySignal } from "./deployment/interruption.ts";
import { EXIT, SetupError } from "./deployment/setup-error.ts";

const LEFT_OPEN_MS = 5_000;

export type Arguments<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>;

/** @param run  may return an exit code other than 0 */
export async function runCommand<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  run: (given: Arguments<Config>) => Promise<number | void>,
): Promise<void> {
  if (process.argv.slice(2).includes("--help")) return console.log(usage);
  try {
    process.exitCode = (await run(given(usage, config))) ?? process.exitCode;
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exitCode = error instanceof SetupError ? error.exitCode : EXIT.failed;
    // A server that the failed command left running keeps the process alive.
    setTimeout(() => endBySignal("SIGTERM"), LEFT_OPEN_MS).unref();
  }
}

function given<Config extends ParseArgsConfig>(usage: string, config: Config): Arguments<Config> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, EXIT.usage);
  }
}
