/**
 * The operator's command line. `--local` (the default) works on the development database, `--remote` on the deployed one;
 * the commands are in `admin/`.
 */
import { CommanderError } from "@commander-js/extra-typings";

import { adminProgram } from "./admin/program.ts";
import { type Io, Target } from "./admin/target.ts";
import { EXIT } from "./deployment/setup-error.ts";

/** @param argv  without the names of Node and the script @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const target = new Target(io);
  try {
    await adminProgram(target).parseAsync(argv, { from: "user" });
    return target.exitCode;
  } catch (error) {
    // Commander has printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    target.console.error(error instanceof Error ? error.message : error);
    return EXIT.failed;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2), process);
